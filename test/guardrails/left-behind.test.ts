/** What a check leaves behind on its thread may end the thread; it costs no other check its verdict. */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { evaluateAll, evaluateGuardrail, type GuardrailDefinition } from '../../src/guardrails/index.js';
import { temporaryFolder } from '../temporary-pack.js';

const folder = temporaryFolder(t);
const module = (name: string, source: string): { module: URL } => {
  writeFileSync(join(folder, name), source);
  return { module: pathToFileURL(join(folder, name)) };
};
const checks = {
  fine: module('fine.mjs', 'export const evaluate = () => ({ passed: true });\n'),
  loops: module('loops.mjs', 'export const evaluate = () => { setImmediate(() => { for (;;); }); return { passed: true }; };\n'),
  throws: module('throws.mjs', `import { existsSync } from 'node:fs';
export const evaluate = ({ when }) => {
  setImmediate(() => { while (!existsSync(when)); throw new Error('left behind'); });
  return { passed: true };
};
`),
};
const guardrail = (check: keyof typeof checks, id: string = check, config = {}): GuardrailDefinition => ({ id, kind: 'zero-llm', check, config, action: { 'on-violation': 'halt' } });
const forEveryThread = Array.from({ length: 2 * availableParallelism() }, (_, at) => guardrail('fine', `fine-${at}`));
const passed = { kind: 'ok', passed: true };

t.test('checks that come to a thread with a loop left behind run on another, each with its full time', { timeout: 60_000 }, async (t) => {
  const options = { checks, timeLimitMs: 2_000 };
  t.match(await evaluateGuardrail(guardrail('loops'), {}, options), passed);
  const { outcomes } = await evaluateAll(forEveryThread, {}, options);
  t.match(outcomes, forEveryThread.map(() => passed));
});

t.test('checks that have not begun are not blamed for what ends their thread', { timeout: 60_000 }, async (t) => {
  const when = join(folder, 'now');
  const options = { checks, timeLimitMs: 30_000 };
  t.match(await evaluateGuardrail(guardrail('throws', 'throws', { when }), {}, options), passed);
  const evaluation = evaluateAll(forEveryThread, {}, options);
  // By then each thread has its checks, and one of the threads waits for the file.
  await nextTurn();
  writeFileSync(when, '');
  t.match((await evaluation).outcomes, forEveryThread.map(() => passed));
});

t.test('a check that no thread ever begins fails by name', { timeout: 60_000 }, async (t) => {
  // It takes a thread far longer to read this than the check may take.
  const trace = { steps: Array.from({ length: 1_000_000 }, (_, at) => ({ at })) };
  const outcome = await evaluateGuardrail(guardrail('fine'), trace, { checks, timeLimitMs: 1 });
  t.match(outcome, { kind: 'error', code: 'no-thread', message: /^Check "fine" did not run: 3 threads in a row ended before they began it/ });
});
