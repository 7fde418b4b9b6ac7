import t, { type Test } from 'tap';
import { defineGuardrail, evaluateAll, evaluateGuardrail, type GuardrailDefinition, guardrailFromIndex, InvalidGuardrail } from '../../src/guardrails/index.js';

const sound = { id: 'acme.cites', kind: 'zero-llm', check: 'must-cite', action: { 'on-violation': 'halt' } };

/** The places of everything that is wrong with a definition. */
function placesOf(definition: unknown): string[] {
  try {
    defineGuardrail(definition as GuardrailDefinition);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidGuardrail)) throw error;
    return error.issues.map(({ instancePath }) => instancePath).sort();
  }
}

/** Sets one field of a sound guardrail; the place of each issue is as listed. */
function refused(t: Test, field: string, value: unknown, ...places: string[]): void {
  t.strictSame(placesOf({ ...sound, [field]: value }), places.sort(), `${field}: ${JSON.stringify(value)}`);
}

t.test('a guardrail may say everything that schema 1.1.0 knows', async (t) => {
  const full = {
    ...sound, name: 'Cites', description: 'Every answer cites.', config: { minCitations: 2 }, severity: 'critical',
    action: { 'on-violation': 'retry', retry: { maxAttempts: 10 }, escalateTo: 'legal', compensateWith: 'acme.undo' },
    scope: { when: 'ci-only', agents: ['a'], flows: [], tenants: ['t'] }, budget: { maxCostUsd: 0.5, maxLatencyMs: 0 }, sandbox: 'strict',
    limits: { memMB: 64, cpuMs: 100 }, network: { kind: 'allowlist', hosts: ['api.example.com'] },
    needsSpec: { env: { A: {} }, secrets: {}, config: {}, capabilities: ['c'], bindings: ['b'] },
    codeArtifactRef: { kind: 'oci', imageRef: 'image', modulePath: 'check.mjs', artifactVersion: '1' }, judgeCapabilities: { needs: [] },
  } as const;
  t.strictSame(defineGuardrail(full), full);
  for (const network of [{ kind: 'none' }, { kind: 'unrestricted' }]) t.strictSame(placesOf({ ...sound, network }), []);
  t.strictSame(placesOf({ ...sound, kind: 'of-my-own', action: { 'on-violation': 'of-my-own' } }), [], 'kinds and actions are open');
});

t.test('what breaks a rule is refused at its place', async (t) => {
  t.strictSame(placesOf({}), ['', '', '', ''], 'id, kind, check and action are required');
  t.strictSame(placesOf(null), ['']);
  t.strictSame(placesOf([sound]), ['']);
  for (const field of ['id', 'kind', 'check']) refused(t, field, '', `/${field}`);
  refused(t, 'colour', 'red', '/colour');
  refused(t, 'severity', 'fatal', '/severity');
  refused(t, 'action', {}, '/action');
  refused(t, 'action', { 'on-violation': '' }, '/action/on-violation');
  refused(t, 'action', { 'on-violation': 'retry', retry: {} }, '/action/retry');
  for (const maxAttempts of [0, 11, 1.5, '2']) refused(t, 'action', { 'on-violation': 'retry', retry: { maxAttempts } }, '/action/retry/maxAttempts');
  refused(t, 'action', { 'on-violation': 'halt', then: 'cry' }, '/action/then');
  refused(t, 'limits', { memMB: 64 }, '/limits');
  refused(t, 'limits', { memMB: 0, cpuMs: 0 }, '/limits/cpuMs', '/limits/memMB');
  refused(t, 'network', {}, '/network');
  refused(t, 'network', { kind: 'some' }, '/network/kind');
  refused(t, 'network', { kind: 'none', hosts: [] }, '/network/hosts');
  refused(t, 'network', { kind: 'allowlist' }, '/network');
  refused(t, 'network', { kind: 'allowlist', hosts: [''] }, '/network/hosts/0');
  refused(t, 'scope', { when: 'sometimes', agents: 'a', users: [] }, '/scope/agents', '/scope/users', '/scope/when');
  refused(t, 'budget', { maxCostUsd: -1, maxLatencyMs: 0.5, maxTokens: 1 }, '/budget/maxCostUsd', '/budget/maxLatencyMs', '/budget/maxTokens');
  refused(t, 'sandbox', 'loose', '/sandbox');
  refused(t, 'config', [], '/config');
  refused(t, 'needsSpec', { env: { A: 'b' }, bindings: [''] }, '/needsSpec/bindings/0', '/needsSpec/env/A');
  refused(t, 'codeArtifactRef', { kind: 'oci', modulePath: 'a' }, '/codeArtifactRef', '/codeArtifactRef');
  refused(t, 'codeArtifactRef', { kind: 'oci', modulePath: 'a', imageRef: '', artifactVersion: '1', tag: 'x' }, '/codeArtifactRef/imageRef', '/codeArtifactRef/tag');
});

t.test('all problems come at once, those of the config too', async (t) => {
  const definition = { id: '', kind: 'zero-llm', check: 'output-matches', action: { 'on-violation': 'retry', retry: { maxAttempts: 11 } }, config: { pattern: '(', negated: true }, more: 1 };
  t.strictSame(placesOf(definition), ['/action/retry/maxAttempts', '/config/negated', '/config/pattern', '/id', '/more']);
});

t.test('a file of this machine is an artifact in development only', async (t) => {
  const definition = { ...sound, codeArtifactRef: { kind: 'filesystem', modulePath: '/srv/check.mjs' } };
  t.strictSame(placesOf(definition), ['/codeArtifactRef/kind']);
  t.strictSame(defineGuardrail(definition, { development: true }), definition);
  t.match(await evaluateGuardrail(definition, { output: '[1]' }, { development: true }), { passed: true });
  await t.rejects(evaluateGuardrail(definition, { output: '[1]' }), { name: 'InvalidGuardrail' });
});

t.test('a definition holds its check, as a function or as an object, with a schema for its config', async (t) => {
  const check = { id: 'acme.checks.polite', configSchema: { type: 'object', required: ['word'], properties: { word: { type: 'string' } } }, word: 'please', evaluate(this: { word: string }) { return { passed: this.word === 'please' }; } };
  const guardrail = defineGuardrail({ ...sound, check, config: { word: 'please' } });
  t.strictSame(guardrail, { ...sound, check: 'acme.checks.polite', config: { word: 'please' } }, 'what is left is data');
  t.match(await evaluateGuardrail(guardrail, {}), { passed: true }, 'and knows its check');
  t.strictSame(placesOf({ ...sound, check, config: { word: 7 } }), ['/config/word']);
  t.strictSame(placesOf({ ...sound, check: { evaluate: () => ({ passed: true }) }, configSchema: check.configSchema }), ['/config'], 'the schema may stand beside the check');
  t.match(await evaluateGuardrail({ ...sound, check: () => ({ passed: false, reason: 'no' }) }, {}), { kind: 'ok', passed: false, reason: 'no' });
  t.strictSame(placesOf({ ...sound, check: { evaluate: () => ({ passed: true }), configSchema: { type: 'colour' } } }), ['/config'], 'one that does not compile is named');
  t.strictSame(placesOf({ ...sound, check: { id: 'no-function' } }), ['/check']);
});

t.test('packhost’s own check ids are reserved', async (t) => {
  const evaluate = () => ({ passed: true });
  t.strictSame(placesOf({ ...sound, check: { id: 'must-cite', evaluate } }), ['/check/id']);
  await t.rejects(evaluateGuardrail(sound, {}, { checks: { 'must-cite': { evaluate } } }), { name: 'TypeError', message: /must-cite/ });
});

t.test('what is defined is frozen, and not the caller’s object', async (t) => {
  const definition = { ...sound, config: { minCitations: 1 } };
  const guardrail = defineGuardrail(definition);
  definition.config.minCitations = 5;
  t.strictSame(guardrail.config, { minCitations: 1 });
  t.ok(Object.isFrozen(guardrail) && Object.isFrozen(guardrail.action) && Object.isFrozen(guardrail.config));
});

t.test('guardrails that are evaluated together are refused together, and none runs', async (t) => {
  let runs = 0;
  const counting = { ...sound, id: 'counting', check: () => ({ passed: ++runs > 0 }) };
  const error: unknown = await evaluateAll([counting, { ...sound, severity: 'odd' as 'error' }, sound, { ...sound, config: { a: 1 } }, sound], {}).catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidGuardrail)) throw new Error('they were taken');
  t.strictSame(error.issues.map(({ instancePath }) => instancePath), ['/1/severity', '/3/config/a', '/4/id'], 'each at its place in the list, a second one of the same id too');
  t.equal(runs, 0);
});

t.test('an index entry is a guardrail, whatever else the index says of it', async (t) => {
  const entry = { ...sound, checkId: 'acme.checks.cite', checkModulePath: 'cite.mjs', configSchema: {}, config: { any: 'thing' }, later: 1, check: undefined };
  t.strictSame(guardrailFromIndex(entry), { id: 'acme.cites', kind: 'zero-llm', check: 'acme.checks.cite', action: { 'on-violation': 'halt' }, config: { any: 'thing' } });
  t.equal(guardrailFromIndex({ id: 'a', kind: 'k', action: { 'on-violation': 'halt' } } as { id: string }).check, 'a');
});
