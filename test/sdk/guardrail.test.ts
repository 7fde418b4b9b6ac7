import t from 'tap';
import { z } from 'zod';
import { type Check, guardrail, parseConfig, parseTrace, type RunTrace, SchemaMismatch } from '../../src/sdk/index.js';
import { problemsOf } from './problems-of.js';

const ids = { tenantId: 'tenant-1', runId: 'run-1' };
const valid = { id: 'acme.short', onViolation: 'halt', check: () => true };
const declare = (changes: object): readonly string[] => problemsOf(() => guardrail({ ...valid, ...changes }));
const checkOf = ({ check }: ReturnType<typeof guardrail>): Check => {
  if (typeof check === 'string') throw new Error('no check of its own');
  return check;
};

t.test('a guardrail is the data of its index entry, and its check', async (t) => {
  const made = guardrail({ ...valid, checkId: 'acme.checks.short', severity: 'warn', scope: { when: 'ci-only' }, config: { most: 3 }, configSchema: { type: 'object' } });
  t.strictSame(JSON.parse(JSON.stringify(made)), {
    id: 'acme.short', severity: 'warn', scope: { when: 'ci-only' }, config: { most: 3 }, kind: 'zero-llm', action: { 'on-violation': 'halt' },
    check: { id: 'acme.checks.short', configSchema: { type: 'object' } },
  });
  t.equal(checkOf(guardrail(valid)).id, 'acme.short', "a check without an id has the guardrail's");
  t.equal(guardrail({ id: 'acme.cites', onViolation: 'halt', check: 'must-cite' }).check, 'must-cite');
});

t.test('an action is named, or given in full', async (t) => {
  t.strictSame(guardrail({ ...valid, onViolation: 'retry' }).action, { 'on-violation': 'retry', retry: { maxAttempts: 2 } });
  const action = { 'on-violation': 'retry', retry: { maxAttempts: 5 } } as const;
  t.strictSame(guardrail({ id: 'acme.short', check: valid.check, action }).action, action);
});

t.test('a wrong declaration is refused, each problem by the name of its field', async (t) => {
  const wrong: readonly [changes: object, place: RegExp][] = [
    [{ check: undefined }, /^check /],
    [{ check: { evaluate: () => true } }, /^check /],
    [{ onViolation: undefined }, /^onViolation /],
    [{ action: { 'on-violation': 'halt' } }, /^onViolation and action /],
    [{ onViolation: undefined, action: { 'on-violation': 'retry' } }, /^action\.retry /],
    [{ onViolation: undefined, action: { 'on-violation': 'retry', retry: { maxAttempts: 11 } } }, /^action\.retry\.maxAttempts /],
    [{ severity: 'fatal' }, /^severity /],
    [{ scope: { when: 'never' } }, /^scope\.when /],
    [{ scope: { agents: [1] } }, /^scope\.agents\[0\] /],
    [{ config: [] }, /^config /],
    [{ configSchema: 'any' }, /^configSchema /],
    [{ kind: 'llm-judge' }, /^judgeCapabilities /],
    [{ checkId: 'must-cite' }, /^checkId .*must-cite/],
    [{ id: 'tool-order' }, /^id .*tool-order/],
    [{ check: 'must-cite', checkId: 'acme.own' }, /^checkId /],
    [{ configSchema: z.object({ most: z.number() }), config: { most: 'three' } }, /^config\.most/],
    [{ sandbox: 1 }, /^sandbox /],
    [{ evaluate: () => true }, /^evaluate /],
  ];
  for (const [changes, place] of wrong) {
    const problems = declare(changes);
    t.equal(problems.length, 1, `${JSON.stringify(changes)}: ${problems.join('; ')}`);
    t.match(problems[0], place);
  }
});

t.test('a check answers a verdict, or true and false for short', async (t) => {
  const verdict = { passed: false, reason: 'too long', attributes: { length: 5 } };
  for (const [answer, expected] of [[true, { passed: true }], [false, { passed: false }], [verdict, verdict], [Promise.resolve(false), { passed: false }]] as const) {
    t.strictSame(await checkOf(guardrail({ ...valid, check: () => answer })).evaluate({}, ids), expected);
  }
});

t.test('a check gets its config parsed and the trace with its lists', async (t) => {
  const seen: unknown[] = [];
  const made = guardrail({ ...valid, configSchema: z.object({ most: z.number().default(3) }), check: (config, trace, { abortSignal }) => seen.push(config, trace, abortSignal.aborted) > 0 });
  t.strictSame(await checkOf(made).evaluate({}, { ...ids, output: 'hello', later: 1 }), { passed: true });
  t.strictSame(seen, [{ most: 3 }, { ...ids, output: 'hello', later: 1, toolCalls: [], toolResults: [], modelCalls: [] }, false]);
  await t.rejects(checkOf(made).evaluate({ most: 'x' }, ids), SchemaMismatch);
  t.strictSame(await parseConfig(made, {}), { most: 3 });
  await t.rejects(parseConfig(made, { most: 'x' }), SchemaMismatch);
});

t.test('a trace keeps what was sent', async (t) => {
  const trace: RunTrace = parseTrace({
    ...ids, mode: 'ci',
    toolCalls: [{ toolId: 'acme.echo', toolName: 'echo', at: '2026-01-01T00:00:00.000Z' }],
    toolResults: [{ toolCallId: 'call-1', output: 5, at: '2026-01-01T00:00:01.000Z' }],
    modelCalls: [{ providerId: 'acme', model: 'large', promptTokens: 3, completionTokens: 4, at: '2026-01-01T00:00:02.000Z' }],
  });
  t.strictSame([trace.toolCalls[0]?.toolName, trace.toolResults[0]?.output, trace.modelCalls[0]?.completionTokens, trace.mode], ['echo', 5, 4, 'ci']);
  t.throws(() => parseTrace('trace'), TypeError);
});
