import t from 'tap';
import { failsWith, verdictOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { checkCall, serve } from '../running-service.js';
import { guardrailEntry, indexOf, passingModule, temporaryPack } from '../temporary-pack.js';

const builtIn = (id: string, more: Record<string, unknown> = {}) => ({ id, kind: 'zero-llm', action: { 'on-violation': 'halt' }, ...more });

t.test('a guardrail that names one of packhost’s checks is called by its own id and by the check’s', async (t) => {
  const guardrails = [
    builtIn('acme.cites', { checkId: 'must-cite', config: { minCitations: 2 } }),
    builtIn('acme.cites-strictly', { checkId: 'must-cite', sandbox: 'strict', network: { kind: 'none' } }),
    builtIn('max-tool-calls'),
    guardrailEntry('acme.own', 'check.mjs', { checkId: 'acme.checks.own' }),
    builtIn('acme.checks.own', { checkId: 'tool-order' }),
  ];
  const service = await serve(t, { pack: temporaryPack(t, indexOf({ guardrails }), { 'check.mjs': passingModule }) });
  const { body } = await service.get('/v1/info');
  t.strictSame((body as { checks?: unknown }).checks, ['must-cite', 'max-tool-calls', 'acme.checks.own', 'tool-order', 'acme.cites', 'acme.cites-strictly']);
  const trace = { output: 'As in [1].' };
  for (const id of ['must-cite', 'acme.cites', 'acme.cites-strictly']) {
    t.match(verdictOf(await service.invoke(checkCall(id, {}, { trace }))), { passed: true, attributes: { citations: 1 } }, `${id}, with the config as sent`);
    const { checkId } = failsWith(t, await service.invoke(checkCall(id, { minimum: 1 }, { trace })), 'input-validation-failed');
    t.equal(checkId, id);
  }
  t.match(verdictOf(await service.invoke(checkCall('max-tool-calls', {}, { trace }))), { passed: true });
  t.strictSame(verdictOf(await service.invoke(checkCall('acme.checks.own', {}, { trace }))), { passed: true }, 'an id of the pack’s own check is that check’s');
  failsWith(t, await service.invoke(checkCall('output-matches', { pattern: 'a' }, { trace })), 'check-not-in-pack', 'one that no guardrail names is not in the pack');
});

t.test('a pack that ships its own check under a reserved id is refused by name', async (t) => {
  const guardrails = [
    guardrailEntry('must-cite', 'check.mjs'),
    guardrailEntry('acme.orders', 'check.mjs', { checkId: 'tool-order' }),
    guardrailEntry('acme.fine', 'check.mjs'),
  ];
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, indexOf({ guardrails }), { 'check.mjs': passingModule }) });
  problemNaming(t, problems, '"must-cite"', 'reserved');
  problemNaming(t, problems, '"acme.orders"', '"tool-order"');
  t.equal(problems.length, 2);
});

t.test('a guardrail whose check is neither packhost’s nor in a module is refused by name', async (t) => {
  const guardrails = [builtIn('acme.nowhere', { checkId: 'acme.no-module' })];
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, indexOf({ guardrails })) });
  problemNaming(t, problems, '"acme.nowhere"', 'checkModulePath');
  t.equal(problems.length, 1);
});

t.test('an index may say where a guardrail that names a built-in check is declared', async (t) => {
  const guardrails = [guardrailEntry('acme.cites', 'cites.mjs', { checkId: 'must-cite' })];
  const declared = "export default { id: 'acme.cites', kind: 'zero-llm', action: { 'on-violation': 'halt' }, check: 'must-cite' };\n";
  const service = await serve(t, { pack: temporaryPack(t, indexOf({ guardrails }), { 'cites.mjs': declared }) });
  t.match(verdictOf(await service.invoke(checkCall('acme.cites', {}, { trace: { output: '[1]' } }))), { passed: true });
});

t.test('a guardrail whose id is a reserved one may have a check of another id', async (t) => {
  const pack = temporaryPack(t, indexOf({ guardrails: [guardrailEntry('must-cite', 'check.mjs', { checkId: 'acme.cite' })] }), { 'check.mjs': passingModule });
  const service = await serve(t, { pack });
  t.strictSame(verdictOf(await service.invoke(checkCall('acme.cite'))), { passed: true });
});

t.test('a pattern that backtracks for ever costs its call, and others go on', async (t) => {
  const guardrails = [builtIn('acme.slow', { checkId: 'output-matches' }), builtIn('acme.cites', { checkId: 'must-cite' })];
  const service = await serve(t, { pack: temporaryPack(t, indexOf({ guardrails })), args: ['--min-threads', '2', '--grace', '100'] });
  const slow = service.invoke(checkCall('acme.slow', { pattern: '^(a+)+$' }, { trace: { output: `${'a'.repeat(60)}!` } }), { 'kindgi-timeout-ms': '1000' });
  const other = await service.invoke(checkCall('acme.cites', {}, { trace: { output: '[1]' } }));
  t.match(verdictOf(other), { passed: true });
  failsWith(t, await slow, 'deadline-exceeded');
  t.match(verdictOf(await service.invoke(checkCall('acme.slow', { pattern: '^a' }, { trace: { output: 'a' } }))), { passed: true }, 'the check serves again');
});
