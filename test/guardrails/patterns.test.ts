import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { evaluateAll, evaluateGuardrail, type GuardrailDefinition } from '../../src/guardrails/index.js';
import { builtInCheck } from '../../src/checks/index.js';
import { projectRoot } from '../running-service.js';

const matching = (id: string, config: Record<string, unknown>, check = 'output-matches'): GuardrailDefinition => ({ id, kind: 'zero-llm', check, config, action: { 'on-violation': 'halt' } });
const catastrophic = '^(a+)+$';
// The shortest of these takes V8 longer than this test may last.
const adversarial = { output: `${'a'.repeat(60)}!` };

t.test('a pattern that backtracks for ever is a bounded error, and everything else goes on', async (t) => {
  const guardrails = [
    matching('before', { pattern: '!$' }),
    matching('slow', { pattern: catastrophic }),
    matching('slow-citations', { sourcePattern: '(a|a)*b' }, 'must-cite'),
    matching('default-citations', {}, 'must-cite'),
    ...Array.from({ length: 40 }, (_, at) => matching(`after-${at}`, { pattern: `^a{${at},}` })),
  ];
  let ticks = 0;
  const alive = setInterval(() => ticks++, 10);
  const startedAt = performance.now();
  const { outcomes, summary } = await evaluateAll(guardrails, adversarial, { timeLimitMs: 1_000 });
  clearInterval(alive);
  t.match(summary, { action: 'halt', errors: 2, passed: 41, violations: 1 });
  t.match(outcomes.slice(0, 4), [{ passed: true }, { kind: 'error', code: 'deadline-exceeded', message: /1000 ms/ }, { kind: 'error', code: 'deadline-exceeded' }, { passed: false }]);
  t.ok(performance.now() - startedAt < 30_000, 'within its time, and the start of a few threads');
  t.ok(ticks > 5, 'the calling thread was free all the while');
});

t.test('a row of brackets does not slow the default citation pattern down', async (t) => {
  const output = '['.repeat(4_000_000);
  const outcome = await evaluateGuardrail(matching('cites', {}, 'must-cite'), { output: `${output}]` });
  t.match(outcome, { kind: 'ok', passed: true, attributes: { citations: 1 } });
  t.match(await evaluateGuardrail(matching('cites', {}, 'must-cite'), { output }), { kind: 'ok', passed: false });
});

t.test('the default citations are counted as their pattern matches them', async () => {
  const pattern = /\[[^\]]+\]/g;
  const text = fc.array(fc.constantFrom('[', ']', 'a', '[]', '[1]', '\n', '[[', ']]'), { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (output) => {
      const { attributes } = builtInCheck('must-cite').evaluate({}, { output });
      assert.equal(attributes?.['citations'], output.match(pattern)?.length ?? 0);
    }),
    { numRuns: 2000 },
  );
});

t.test('threads that wait for checks keep no process alive', async (t) => {
  const library = pathToFileURL(join(projectRoot, 'dist/src/guardrails/index.js')).href;
  const script = `
    import { evaluateGuardrail } from ${JSON.stringify(library)};
    const guardrail = { id: 'a', kind: 'zero-llm', check: 'output-matches', config: { pattern: 'a' }, action: { 'on-violation': 'halt' } };
    console.log((await evaluateGuardrail(guardrail, { output: 'a' })).passed);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { timeout: 60_000 });
  t.equal(stdout, 'true\n');
});
