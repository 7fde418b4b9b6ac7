/** `packhost check` where runs cannot be judged for lack of threads: there is no verdict, whatever the runs are like. */
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { asLimitedUser, cannotLimit, openToAll } from '../limited-process.js';
import { type Run, runCommand } from '../run-command.js';
import { guardrailEntry, indexOf, temporaryPack } from '../temporary-pack.js';

const slowPattern = { id: 'pattern', kind: 'zero-llm', action: { 'on-violation': 'halt' }, checkId: 'output-matches', config: { pattern: '^(a+)+$' } };
const good = { runId: 'good', output: 'aaa' };
/** The pattern takes longer on it than any test. */
const endless = { runId: 'endless', output: `${'a'.repeat(50)}b` };
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

function folderWith(t: Test, guardrails: readonly object[], traces: readonly object[], modules: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryPack(t, indexOf({ guardrails }), modules);
  writeFileSync(join(folder, 'runs.jsonl'), traces.map((trace) => `${JSON.stringify(trace)}\n`).join(''));
  return openToAll(folder);
}

const check = (folder: string, args: readonly string[], options: Parameters<typeof runCommand>[1] = {}): Promise<Run> =>
  runCommand(['check', '--pack', '.', '--trace', 'runs.jsonl', ...args], { cwd: folder, ...options });

/** One message says that there is no verdict, and why. */
const noVerdict = (reason: RegExp): object => ({
  code: 2,
  stderr: new RegExp(`^packhost check: not every run could be judged, so there is no verdict\\.\\n- runs\\.jsonl:\\d+: .*${reason.source}.*\\n$`),
});

t.test('no thread from the start: exit 2 and the reason, and no report', { skip: cannotLimit }, async (t) => {
  const folder = folderWith(t, [slowPattern], [good]);
  const run = await check(folder, ['--junit', 'report.xml'], { within: asLimitedUser(0) });
  t.match(run, { ...noVerdict(/did not run: .*EAGAIN.*ulimit -u/), stdout: '' });
  t.notOk(existsSync(join(folder, 'report.xml')));
});

t.test('no thread in place of those that checks ended: exit 2, although other runs stop the build', { skip: cannotLimit }, async (t) => {
  const judged = guardrailEntry('judged', 'judge.mjs', { kind: 'llm-judge', config: { rubric: 'any' } });
  const limit = { runId: 'limit', output: 'aaa' };
  const traces = [...times(70, good), limit, ...times(70, good), ...times(availableParallelism(), endless), ...times(70, good)];
  const folder = folderWith(t, [slowPattern, judged], traces, {
    'judge.mjs': `import { limitThreads } from '${new URL('../limited-process.js', import.meta.url).href}';
export default ({ trace }) => {
  if (trace.runId === 'limit') limitThreads(process.pid);
  return { score: 1 };
};
`,
  });
  const run = await check(folder, ['--judge', 'judge.mjs', '--time-limit', '1000'], { within: asLimitedUser() });
  t.match(run, noVerdict(/did not run: .*EAGAIN.*ulimit -u/));
});

t.test('a pack that no thread can load any more: exit 2', async (t) => {
  const folder = folderWith(t, [guardrailEntry('leaves', 'leaves.mjs')], times(100, { runId: 'any' }), {
    'leaves.mjs': `import { existsSync, rmSync } from 'node:fs';
const mark = new URL('loadable', import.meta.url);
if (!existsSync(mark)) throw new Error('not any more');
export const evaluate = () => {
  rmSync(mark, { force: true });
  process.exit(1);
};
`,
    loadable: '',
  });
  t.match(await check(folder, []), noVerdict(/Check "leaves" did not run/));
});
