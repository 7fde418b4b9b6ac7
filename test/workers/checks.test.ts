import { join } from 'node:path';
import t from 'tap';
import { failsWith, verdictOf } from '../answers.js';
import { linesOf } from '../calls-in-flight.js';
import { checkCall, ids, serve, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const service = await serve(t, { pack: 'judges-traces' });
const call = (id: string, config: unknown = {}, extra: Record<string, unknown> = {}) => service.invoke(checkCall(id, config, extra));

t.test('a check passes, or fails with its reason, attributes and whatever else it says', async (t) => {
  t.strictSame(verdictOf(await call('checks.min-length', { minLength: 5 })), { passed: true });
  t.strictSame(verdictOf(await call('checks.min-length', { minLength: 6 })), { passed: false, reason: 'too short', attributes: { minLength: 6 }, confidence: 0.9 });
});

t.test('a check is known by its check id, or by the guardrail’s id where it has none', async (t) => {
  t.strictSame(verdictOf(await call('no-check-id')), { passed: true });
  const { checkId } = failsWith(t, await call('min-length'), 'check-not-in-pack');
  t.equal(checkId, 'min-length');
});

t.test('a config that breaks its schema is refused, and the message ends with the first issue', async (t) => {
  const error = failsWith(t, await call('checks.min-length', { minLength: -1 }), 'input-validation-failed');
  t.equal(error.checkId, 'checks.min-length');
  t.equal(error.message, 'Check "checks.min-length" config failed validation at /minLength: must be >= 0');
  t.match(error.issues, [{ instancePath: '/minLength', keyword: 'minimum', params: { limit: 0 } }]);
  failsWith(t, await call('checks.min-length', { minLength: 1, more: true }), 'input-validation-failed');
});

t.test('a check gets its config as sent, without defaults, and the trace, signal included', async (t) => {
  const trace = { ...ids, output: 'the output', toolCalls: [{ name: 'a', later: null }], later: { field: 1 } };
  const { attributes } = verdictOf(await call('sees', { a: [1] }, { trace }));
  t.strictSame(attributes, { config: { a: [1] }, trace, signal: true, at: '1970-01-01T00:00:00.000Z' });
});

t.test('what a check throws is handler-throw with the check’s id', async (t) => {
  const { cause, checkId, toolId } = failsWith(t, await call('throws'), 'handler-throw');
  t.strictSame([checkId, toolId], ['throws', undefined]);
  t.match(cause, { name: 'TypeError', message: 'check boom', code: 'E_CHECK', stack: /throws\.mjs/ });
});

t.test('a verdict that is no object with a boolean passed is never a check-result', async (t) => {
  for (const what of ['nothing', 'null', 'text', 'true', 'list', 'no-passed', 'passed-text', 'passed-number', 'passed-undefined']) {
    const { checkId } = failsWith(t, await call('answers-oddly', { what }), 'check-shape-invalid', what);
    t.equal(checkId, 'answers-oddly');
  }
});

t.test('a check past its deadline is answered so, and its signal fires', async (t) => {
  const log = join(temporaryFolder(t), 'log');
  const answer = await service.invoke(checkCall('waits', { log }), { 'kindgi-timeout-ms': '150' });
  const { checkId } = failsWith(t, answer, 'deadline-exceeded');
  t.equal(checkId, 'waits');
  await until(() => linesOf(log).length > 0, 'the signal');
  t.strictSame(linesOf(log), ['aborted deadline-exceeded']);
});
