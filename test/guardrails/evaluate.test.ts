import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import t from 'tap';
import { evaluateAll, evaluateGuardrail, EvaluationFailure, type GuardrailDefinition, type JudgeRequest, type RunTrace } from '../../src/guardrails/index.js';
import { temporaryFolder } from '../temporary-pack.js';

const failing = (id: string, onViolation: string, more: object = {}): GuardrailDefinition => ({ id, kind: 'zero-llm', check: () => ({ passed: false, reason: `${id} failed` }), action: { 'on-violation': onViolation }, ...more });
const passing: GuardrailDefinition = { id: 'passes', kind: 'zero-llm', check: () => ({ passed: true, attributes: { score: 1 } }), action: { 'on-violation': 'halt' } };
const trace: RunTrace = { runId: 'run-1', tenantId: 'acme', agentId: 'agent-1', output: 'An answer.' };

t.test('a passed check asks for nothing, a failed one for its action, with its severity', async (t) => {
  t.strictSame(await evaluateGuardrail(passing, trace), { kind: 'ok', guardrailId: 'passes', severity: 'error', passed: true, action: 'noop', attributes: { score: 1 } });
  t.strictSame(await evaluateGuardrail(failing('a', 'halt', { severity: 'warn' }), trace), { kind: 'ok', guardrailId: 'a', severity: 'warn', passed: false, reason: 'a failed', action: 'halt' });
  t.match(await evaluateGuardrail({ ...failing('a', 'escalate'), action: { 'on-violation': 'escalate', escalateTo: 'legal' } }, trace), { action: 'escalate', escalateTo: 'legal' });
  t.match(await evaluateGuardrail({ ...failing('a', 'compensate'), action: { 'on-violation': 'compensate', compensateWith: 'acme.undo' } }, trace), { action: 'compensate', compensateWith: 'acme.undo' });
});

t.test('a guardrail that is not for the run is skipped, with the reason', async (t) => {
  const skips = async (scope: object, options = {}, reason: RegExp = /\w/, of: RunTrace = trace): Promise<void> => {
    const outcome = await evaluateGuardrail({ ...failing('a', 'halt'), scope }, of, options);
    t.match(outcome, { kind: 'skip', guardrailId: 'a', reason }, JSON.stringify(scope));
  };
  const judges = async (scope: object, options = {}, of: RunTrace = trace): Promise<void> => {
    t.equal((await evaluateGuardrail({ ...failing('a', 'halt'), scope }, of, options)).kind, 'ok', JSON.stringify(scope));
  };
  await skips({ when: 'ci-only' }, {}, /ci-only/);
  await skips({ when: 'ci-only' }, { mode: 'runtime' }, /ci-only/, { ...trace, mode: 'ci' });
  await skips({ when: 'runtime-only' }, { mode: 'ci' }, /runtime-only/);
  await skips({ when: 'runtime-only' }, {}, /runtime-only/, { ...trace, mode: 'ci' });
  await skips({ agents: ['agent-2', 'agent-3'] }, {}, /agent-2, agent-3.*agent-1/);
  await skips({ flows: ['flow-1'] }, {}, /flow-1.*no flow/);
  await skips({ tenants: ['other'] }, {}, /other.*acme/);
  await skips({ agents: ['agent-1'], tenants: ['other'] }, {}, /tenant/);
  await judges({});
  await judges({ when: 'always' }, { mode: 'ci' });
  await judges({ when: 'ci-only' }, { mode: 'ci' });
  await judges({ when: 'ci-only' }, {}, { ...trace, mode: 'ci' });
  await judges({ when: 'runtime-only' });
  await judges({ agents: [], flows: [], tenants: [] });
  await judges({ agents: ['agent-2', 'agent-1'], tenants: ['acme'] });
});

t.test('a check sees the trace in the mode that it is judged in', async (t) => {
  const seen: unknown[] = [];
  const looking: GuardrailDefinition = { ...passing, check: (_config: unknown, { mode }: RunTrace) => ({ passed: seen.push(mode) > 0 }) };
  await evaluateGuardrail(looking, trace);
  await evaluateGuardrail(looking, { ...trace, mode: 'ci' });
  await evaluateGuardrail(looking, { ...trace, mode: 'ci' }, { mode: 'runtime' });
  t.strictSame(seen, ['runtime', 'ci', 'runtime']);
});

t.test('a retry is counted over the answers of a run, the first included, and then halts', async (t) => {
  const thrice = { ...failing('thrice', 'retry'), action: { 'on-violation': 'retry', retry: { maxAttempts: 3 } } };
  const guardrails = [thrice, failing('twice', 'retry'), { ...failing('once', 'retry'), action: { 'on-violation': 'retry', retry: { maxAttempts: 1 } } }];
  const first = await evaluateAll(guardrails, trace);
  t.match(first.outcomes, [
    { action: 'retry', retry: { failedAnswers: 1, maxAttempts: 3 } },
    { action: 'retry', retry: { failedAnswers: 1, maxAttempts: 2 } },
    { action: 'halt', retry: { failedAnswers: 1, maxAttempts: 1 } },
  ]);
  t.strictSame(first.summary.feedback, ['thrice failed', 'twice failed'], 'for the model, of those that may still retry');
  const second = await evaluateAll([thrice, failing('twice', 'retry')], trace, { failedAnswers: first.summary.failedAnswers });
  t.match(second.outcomes, [{ action: 'retry' }, { action: 'halt' }], 'two answers when nothing is said');
  t.equal(second.summary.action, 'halt');
  const third = await evaluateAll([thrice, passing], trace, { failedAnswers: second.summary.failedAnswers });
  t.match(third.outcomes, [{ action: 'halt', retry: { failedAnswers: 3, maxAttempts: 3 } }, { action: 'noop' }]);
  t.strictSame(third.summary.failedAnswers, { thrice: 3, twice: 2, once: 1 });
});

t.test('the summary says the strongest of all actions', async (t) => {
  const actionOf = async (...names: string[]): Promise<unknown> => (await evaluateAll([...names.map((name) => failing(name, name)), passing], trace)).summary.actions;
  t.strictSame(await actionOf('log-only', 'tell-the-press', 'retry', 'escalate', 'compensate', 'halt'), ['halt', 'compensate', 'escalate', 'retry', 'tell-the-press', 'log-only']);
  const { summary } = await evaluateAll([passing], trace);
  t.strictSame(summary, { action: 'noop', actions: [], passed: 1, violations: 0, errors: 0, skipped: 0, feedback: [], failedAnswers: {} });
  const mixed = await evaluateAll([passing, failing('a', 'log-only'), { ...failing('b', 'halt'), scope: { when: 'ci-only' } }, { ...passing, id: 'c', kind: 'external' }], trace);
  t.match(mixed.summary, { action: 'halt', passed: 1, violations: 1, errors: 1, skipped: 1 }, 'what could not be judged halts');
  const logged = await evaluateAll([{ ...passing, kind: 'external', action: { 'on-violation': 'log-only' } }], trace);
  t.match(logged.summary, { action: 'log-only', errors: 1 }, 'unless its guardrail never does more than log');
});

t.test('a registered handler is given the violation, and its failure never hides it', async (t) => {
  const given: unknown[] = [];
  const actions = {
    halt: (violation: unknown, of: unknown) => given.push([violation, of]) && 'halted',
    page: () => { throw Object.assign(new Error('no pager'), { code: 'E_PAGER' }); },
    wait: () => Promise.reject(new Error('too late')),
  };
  const { outcomes, summary } = await evaluateAll([failing('a', 'halt'), failing('b', 'page'), failing('c', 'wait'), failing('d', 'log-only'), passing], trace, { actions });
  t.match(outcomes, [
    { passed: false, action: 'halt', handled: { kind: 'done', result: 'halted' } },
    { passed: false, action: 'page', reason: 'b failed', handled: { kind: 'failed', cause: { message: 'no pager', code: 'E_PAGER' } } },
    { passed: false, action: 'wait', handled: { kind: 'failed', cause: { message: 'too late' } } },
    { passed: false, action: 'log-only', handled: undefined },
    { passed: true, handled: undefined },
  ]);
  t.match(given, [[{ guardrailId: 'a', reason: 'a failed' }, trace]], 'once, with the trace');
  t.match(summary, { action: 'halt', violations: 4, errors: 0 });
});

t.test('where there are handlers, an action that nobody knows is an error by name, with the verdict', async (t) => {
  t.match(await evaluateGuardrail(failing('a', 'page'), trace, { actions: {} }), { kind: 'error', code: 'unknown-action', message: /page/, action: 'halt', verdict: { passed: false, reason: 'a failed' } });
  t.match(await evaluateGuardrail(failing('a', 'toString'), trace, { actions: {} }), { kind: 'error', code: 'unknown-action' }, 'what every object inherits is no handler');
  t.match(await evaluateGuardrail(failing('a', 'page'), trace), { kind: 'ok', action: 'page' }, 'without any, the name is the caller’s to act on');
});

t.test('kinds beyond packhost’s own need a strategy', async (t) => {
  const external = { ...passing, kind: 'external', check: 'their-check' };
  t.match(await evaluateGuardrail(external, trace), { kind: 'error', code: 'unknown-kind', message: /external/ });
  t.match(await evaluateGuardrail({ ...external, kind: 'constructor' }, trace, { strategies: {} }), { kind: 'error', code: 'unknown-kind' });
  const strategies = { external: ({ guardrail, trace: { output } }: { guardrail: { check: string }; trace: RunTrace }) => ({ passed: false, reason: `${guardrail.check}: ${output}` }) };
  t.match(await evaluateGuardrail(external, trace, { strategies }), { kind: 'ok', passed: false, reason: 'their-check: An answer.', action: 'halt' });
  t.match(await evaluateGuardrail(external, trace, { strategies: { external: () => Promise.reject(new TypeError('down')) } }), { kind: 'error', code: 'handler-throw', cause: { name: 'TypeError' } });
  t.match(await evaluateGuardrail(external, trace, { strategies: { external: () => new Promise(() => {}) }, remoteTimeLimitMs: 20 }), { kind: 'error', code: 'deadline-exceeded' });
  await t.rejects(evaluateGuardrail(passing, trace, { strategies: { 'zero-llm': () => ({ passed: true }) } }), { name: 'TypeError' }, 'packhost’s own cannot be replaced');
});

t.test('a judge scores by the rubric, and its response is kept', async (t) => {
  const asked: JudgeRequest[] = [];
  const judged: GuardrailDefinition = { id: 'polite', kind: 'llm-judge', check: 'any', config: { rubric: 'Is it polite?', threshold: 0.7, tone: 'warm' }, judgeCapabilities: { needs: ['text'] }, action: { 'on-violation': 'retry' } };
  const judge = (score: number) => (request: JudgeRequest) => { asked.push(request); return { score, response: `I say ${score}` }; };
  t.match(await evaluateGuardrail(judged, trace, { judge: judge(0.7) }), { kind: 'ok', passed: true, action: 'noop', judgeResponse: 'I say 0.7', attributes: { score: 0.7, threshold: 0.7 } });
  t.match(asked, [{ guardrailId: 'polite', rubric: 'Is it polite?', config: { tone: 'warm' }, capabilities: { needs: ['text'] }, trace }]);
  t.match(await evaluateGuardrail(judged, trace, { judge: judge(0.69) }), { kind: 'ok', passed: false, action: 'retry', judgeResponse: 'I say 0.69', reason: /0\.69/ });
  t.match(await evaluateGuardrail({ ...judged, config: { rubric: 'r' } }, trace, { judge: judge(0.5) }), { passed: true }, 'a half passes when nothing is said');
  t.match(await evaluateGuardrail(judged, trace), { kind: 'error', code: 'judge-missing' });
  t.match(await evaluateGuardrail(judged, trace, { judge: () => Promise.reject(new Error('quota')) }), { kind: 'error', code: 'handler-throw', cause: { message: 'quota' } });
  for (const answer of [undefined, 1, {}, { score: '1' }, { score: 1.1 }, { score: NaN }]) {
    t.match(await evaluateGuardrail(judged, trace, { judge: () => answer as never }), { kind: 'error', code: 'judge-shape-invalid' }, JSON.stringify(answer));
  }
  await t.rejects(evaluateGuardrail({ ...judged, config: {} }, trace), { name: 'InvalidGuardrail', issues: [{ instancePath: '/config' }] }, 'a judge needs a rubric');
});

t.test('a judge is held to the budget of its guardrail', async (t) => {
  const judged = (budget: object): GuardrailDefinition => ({ id: 'polite', kind: 'llm-judge', check: 'any', config: { rubric: 'r' }, budget, action: { 'on-violation': 'halt' } });
  const costing = (costUsd?: number) => ({ maxCostUsd }: JudgeRequest) => ({ score: 1, response: `of ${maxCostUsd}`, ...(costUsd === undefined ? {} : { costUsd }) });
  t.match(await evaluateGuardrail(judged({ maxCostUsd: 0.1 }), trace, { judge: costing(0.1) }), { kind: 'ok', passed: true, judgeResponse: 'of 0.1', attributes: { costUsd: 0.1 } });
  t.match(await evaluateGuardrail(judged({ maxCostUsd: 0.1 }), trace, { judge: costing(0.11) }), { kind: 'error', code: 'judge-over-budget', verdict: { passed: true, judgeResponse: 'of 0.1' } });
  t.match(await evaluateGuardrail(judged({ maxCostUsd: 0.1 }), trace, { judge: costing() }), { kind: 'error', code: 'judge-shape-invalid' }, 'a cost that nobody tells is no cost within the budget');
  let reason: unknown;
  const never = ({ abortSignal }: JudgeRequest) => new Promise<never>((_, reject) => abortSignal.addEventListener('abort', () => reject(new Error(String(reason = (abortSignal.reason as Error).message)))));
  t.match(await evaluateGuardrail(judged({ maxLatencyMs: 20 }), trace, { judge: never }), { kind: 'error', code: 'judge-over-budget' });
  t.match(reason, /20 ms/, 'and is told so by its signal');
});

t.test('checks of the caller’s own are looked up by id', async (t) => {
  const checks = {
    'acme.short': { configSchema: { type: 'object', additionalProperties: false, properties: { most: { type: 'integer', minimum: 0 } } }, evaluate: ({ most = 5 }: { most?: number }, { output = '' }: RunTrace) => ({ passed: (output ?? '').length <= most, extra: 1 }) },
    'acme.throws': { evaluate: () => { throw Object.assign(new RangeError('boom'), { code: 'E_BOOM' }); } },
    'acme.odd': { evaluate: () => 'yes' as never },
    'acme.waits': { evaluate: (_config: never, _trace: RunTrace, { abortSignal }: { abortSignal: AbortSignal }) => new Promise<never>((_, reject) => abortSignal.addEventListener('abort', () => reject(abortSignal.reason as Error))) },
    'acme.elsewhere': { call: async (config: unknown, of: RunTrace) => ({ passed: false, reason: JSON.stringify([config, of.runId]) }) },
    'acme.refused': { call: () => Promise.reject(new EvaluationFailure('cancelled', 'the service had to stop')) },
  };
  const outcome = (check: string, config = {}) => evaluateGuardrail({ ...passing, check, config }, trace, { checks, timeLimitMs: 500 });
  t.strictSame(await outcome('acme.short', { most: 10 }), { kind: 'ok', guardrailId: 'passes', severity: 'error', passed: true, action: 'noop' });
  t.match(await outcome('acme.short', { most: -1 }), { kind: 'error', code: 'input-validation-failed', issues: [{ instancePath: '/most' }] });
  t.match(await outcome('acme.throws'), { kind: 'error', code: 'handler-throw', cause: { name: 'RangeError', message: 'boom', code: 'E_BOOM' } });
  t.match(await outcome('acme.odd'), { kind: 'error', code: 'check-shape-invalid' });
  t.match(await outcome('acme.waits'), { kind: 'error', code: 'deadline-exceeded' });
  t.match(await outcome('acme.elsewhere', { a: 1 }), { kind: 'ok', passed: false, reason: '[{"a":1},"run-1"]' });
  t.match(await outcome('acme.refused'), { kind: 'error', code: 'cancelled', message: 'the service had to stop' });
  t.match(await outcome('acme.nobody'), { kind: 'error', code: 'check-not-in-pack' });
  t.match(await outcome('valueOf'), { kind: 'error', code: 'check-not-in-pack' }, 'what every object inherits is no check');
});

t.test('a check that a module exports runs on a thread that ends with its time', async (t) => {
  const folder = temporaryFolder(t);
  const module = (name: string, source: string): { module: URL } => {
    writeFileSync(join(folder, name), source);
    return { module: pathToFileURL(join(folder, name)) };
  };
  const checks = {
    fine: module('fine.mjs', "import { isMainThread } from 'node:worker_threads';\nexport default { id: 'fine', check: { id: 'fine', evaluate: (config, { output }) => ({ passed: true, attributes: { config, output, isMainThread, at: new Date(0) } }) } };\n"),
    spins: module('spins.mjs', 'export const evaluate = () => { for (;;); };\n'),
    exits: module('exits.mjs', 'export const evaluate = () => process.exit(3);\n'),
    throws: module('throws.mjs', "export const evaluate = () => { throw new SyntaxError('no'); };\n"),
    big: module('big.mjs', 'export const evaluate = () => ({ passed: true, attributes: { n: 1n } });\n'),
    empty: module('empty.mjs', 'export const nothing = 1;\n'),
    missing: { module: pathToFileURL(join(folder, 'missing.mjs')) },
  };
  const guardrails = Object.keys(checks).map((id) => ({ ...passing, id, check: id, config: { a: 1 } }));
  const alive = setInterval(() => ticks++, 10);
  let ticks = 0;
  const { outcomes } = await evaluateAll(guardrails, trace, { checks, timeLimitMs: 3_000 });
  clearInterval(alive);
  t.match(outcomes, [
    { kind: 'ok', passed: true, attributes: { config: { a: 1 }, output: 'An answer.', isMainThread: false, at: '1970-01-01T00:00:00.000Z' } },
    { kind: 'error', code: 'deadline-exceeded' },
    { kind: 'error', code: 'handler-throw', cause: { name: 'WorkerExited' } },
    { kind: 'error', code: 'handler-throw', cause: { name: 'SyntaxError' } },
    { kind: 'error', code: 'output-validation-failed', message: /BigInt/ },
    { kind: 'error', code: 'check-shape-invalid' },
    { kind: 'error', code: 'handler-import-failed' },
  ]);
  t.ok(ticks > 3, 'the calling thread went on meanwhile');
  t.match(await evaluateGuardrail({ ...passing, check: 'fine' }, { ...trace, helper: () => sleep(1) }, { checks }), { kind: 'error', code: 'output-validation-failed' }, 'a trace with a function in it cannot go to a thread');
  t.match(await evaluateGuardrail({ ...passing, check: 'fine' }, trace, { checks }), { kind: 'ok', passed: true }, 'and the threads go on');
});

t.test('options and traces that are none are refused', async (t) => {
  for (const timeLimitMs of [0, -1, NaN, Infinity]) await t.rejects(evaluateGuardrail(passing, trace, { timeLimitMs }), { name: 'TypeError', message: /timeLimitMs/ });
  await t.rejects(evaluateGuardrail(passing, trace, { mode: 'build' as 'ci' }), { name: 'TypeError', message: /mode/ });
  for (const odd of [null, undefined, 'text', [trace]]) await t.rejects(evaluateAll([passing], odd as never), { name: 'TypeError' }, JSON.stringify(odd));
});
