/** What becomes of checks that need a thread when the system refuses one. */
import { spawn } from 'node:child_process';
import { rmdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Outcome } from '../../src/guardrails/index.js';
import { asLimitedUser, cannotLimit, freeFiles, freeThreads, limitFiles, limitThreads, openToAll } from '../limited-process.js';
import { temporaryFolder } from '../temporary-pack.js';

interface Evaluator {
  readonly pid: number;
  /** Has so many guardrails evaluated; rejects when the process ends instead. `onBegun`: the first thread has been asked for. */
  evaluate(count: number, onBegun?: () => void): Promise<readonly Outcome[]>;
}

async function startEvaluator(t: Test, { cwd, spareThreads }: { readonly cwd?: string; readonly spareThreads?: number } = {}): Promise<Evaluator> {
  const [program = '', ...args] = [...asLimitedUser(spareThreads), process.execPath, fileURLToPath(new URL('./evaluator.js', import.meta.url))];
  const env = { PATH: process.env['PATH'] };
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'], ...(cwd === undefined ? {} : { cwd }) });
  t.teardown(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const line: IteratorResult<string> = await lines.next();
    if (line.done === true) throw new Error(`the evaluator ended (${child.exitCode ?? child.signalCode})`);
    return line.value;
  };
  await nextLine();
  if (child.pid === undefined) throw new Error('the evaluator did not start');
  return {
    pid: child.pid,
    async evaluate(count, onBegun) {
      child.stdin.write(`${count}\n`);
      await nextLine();
      onBegun?.();
      return JSON.parse(await nextLine()) as Outcome[];
    },
  };
}

const passed = { kind: 'ok', passed: true };

t.test('a check whose thread cannot start is an error that says why, and the next one runs once it can', { skip: cannotLimit }, async (t) => {
  const evaluator = await startEvaluator(t, { spareThreads: 0 });
  const refused = { kind: 'error', code: 'no-thread', action: 'halt', message: /^Check "output-matches" did not run: .*EAGAIN.*ulimit -u/ };
  t.match(await evaluator.evaluate(2), [refused, refused]);
  t.match(await evaluator.evaluate(1), [refused]);
  freeThreads(evaluator.pid);
  t.match(await evaluator.evaluate(1), [passed]);
});

t.test('the threads that run go on with all checks while no other can start', { skip: cannotLimit }, async (t) => {
  const evaluator = await startEvaluator(t, { spareThreads: 1 });
  t.match(await evaluator.evaluate(100), Array.from({ length: 100 }, () => passed));
});

t.test('a thread that ends as it starts, for lack of files, blames no check', { skip: cannotLimit }, async (t) => {
  const evaluator = await startEvaluator(t);
  limitFiles(evaluator.pid);
  const refused = { kind: 'error', code: 'no-thread', message: /did not run: .*EMFILE.*ulimit -n/ };
  t.match(await evaluator.evaluate(2), [refused, refused]);
  freeFiles(evaluator.pid);
  t.match(await evaluator.evaluate(1), [passed]);
});

t.test('a limit that is lifted in time costs no check', { skip: cannotLimit }, async (t) => {
  const evaluator = await startEvaluator(t);
  limitThreads(evaluator.pid);
  t.match(await evaluator.evaluate(1, () => freeThreads(evaluator.pid)), [passed]);
});

t.test('checks run although the working directory was removed', { skip: cannotLimit }, async (t) => {
  const cwd = openToAll(temporaryFolder(t));
  const evaluator = await startEvaluator(t, { cwd });
  rmdirSync(cwd);
  t.match(await evaluator.evaluate(1), [passed]);
});
