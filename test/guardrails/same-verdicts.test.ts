/** One definition judges alike wherever it is enforced: in the library, in a build, in a service. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { evaluateAll, type GuardrailDefinition, guardrailFromIndex, type Outcome, type RunTrace } from '../../src/guardrails/index.js';
import { verdictOf } from '../answers.js';
import { examplePack, importExample } from '../examples/example-pack.js';
import { checkCall, packhostCommand, serve } from '../running-service.js';
import { indexOf, temporaryFolder, temporaryPack } from '../temporary-pack.js';

t.setTimeout(120_000);

/** Runs that some guardrails pass and others fail. */
const runs = fc.record({
  runId: fc.uuid(),
  tenantId: fc.constantFrom('acme', 'other'),
  agentId: fc.constantFrom('writer', 'reader', undefined),
  output: fc
    .array(fc.oneof(fc.constantFrom('As measured in nine of the ten rivers of that country [1].', 'Everybody has known this since the very first days.', '\n\n', 'Ask ann@example.com.', 'Call +49 30 1234567.', '[Smith 2020]', '[]', 'SECRET'), fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 6 })
    .map((pieces) => pieces.join(' ')),
  toolCalls: fc.array(fc.constantFrom('search', 'read', 'delete').map((toolName) => ({ toolId: `acme.${toolName}`, toolName, arguments: {}, at: '2026-01-01T00:00:00.000Z' })), { maxLength: 4 }),
  toolResults: fc.constant([]),
  modelCalls: fc.constant([]),
});
const traces = fc.sample(runs, 100).map((trace) => JSON.parse(JSON.stringify(trace)) as RunTrace);

const own = (checkId: string, config: object, more: object = {}) => ({ id: `own.${checkId}`, kind: 'zero-llm', action: { 'on-violation': 'halt' }, checkId, config, ...more });
const ownIndex = indexOf({
  guardrails: [
    own('must-cite', { sourcePattern: '\\[(\\d+|\\w+ \\d{4})\\]' }),
    own('never-call-tool', { tools: ['delete'] }, { scope: { tenants: ['acme'] } }),
    own('max-tool-calls', { max: 2 }, { severity: 'warn' }),
    own('output-matches', { pattern: 'secret', flags: 'i', negate: true }),
    own('tool-order', { sequence: ['search', 'read'] }, { scope: { agents: ['writer'] }, action: { 'on-violation': 'retry' } }),
    own('required-substring', { patterns: ['['] }, { scope: { when: 'runtime-only' } }),
    own('forbidden-substring', { patterns: ['ann@', '+49'] }),
  ],
});

/** What `packhost check` says of each trace, in their order. */
function byCommand(pack: string, file: string): Promise<readonly { readonly outcomes: readonly Outcome[] }[]> {
  const [program, ...args] = packhostCommand;
  return new Promise((resolve, reject) => {
    execFile(program, [...args, 'check', '--pack', pack, '--trace', file, '--json'], { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr));
      else resolve((JSON.parse(stdout) as { results: { outcomes: Outcome[] }[] }).results);
    });
  });
}

/** What an outcome says of the trace. */
const verdict = (outcome: Outcome | undefined): unknown =>
  outcome?.kind === 'ok' ? { passed: outcome.passed, ...(outcome.reason === undefined ? {} : { reason: outcome.reason }), ...(outcome.attributes === undefined ? {} : { attributes: outcome.attributes }) } : outcome?.kind;

for (const { name, pack, guardrails } of [
  {
    name: 'the example pack’s own checks',
    pack: examplePack,
    guardrails: await Promise.all(['answer-cites-sources', 'no-personal-data'].map(async (file) => (await importExample<{ default: GuardrailDefinition }>(`guardrails/${file}.mjs`)).default)),
  },
  { name: 'packhost’s checks', pack: temporaryPack(t, ownIndex), guardrails: (ownIndex['guardrails'] as { id: string }[]).map((entry) => guardrailFromIndex(entry)) },
]) {
  t.test(`${name} judge a hundred runs alike by library, command and service`, async (t) => {
    const index = JSON.parse(readFileSync(join(pack, 'index.json'), 'utf8')) as { guardrails: { checkId: string; config: unknown }[] };
    const file = join(temporaryFolder(t), 'traces.jsonl');
    writeFileSync(file, traces.map((trace) => JSON.stringify(trace)).join('\n'));
    const service = await serve(t, { pack });
    const commanded = await byCommand(pack, file);
    t.equal(commanded.length, traces.length);
    const seen = new Set<unknown>();
    for (const [at, trace] of traces.entries()) {
      const { outcomes } = await evaluateAll(guardrails, trace, { mode: 'ci' });
      const served = await Promise.all(index.guardrails.map(async ({ checkId, config }) => verdictOf(await service.invoke(checkCall(checkId, config, { trace: { ...trace, mode: 'ci' } })))));
      if (!t.strictSame(commanded[at]?.outcomes, outcomes, `the command as the library, run ${at}`)) console.error(JSON.stringify(trace));
      for (const [which, outcome] of outcomes.entries()) {
        seen.add(outcome.kind === 'ok' ? outcome.passed : outcome.kind);
        if (outcome.kind !== 'skip') t.strictSame(verdict(outcome), served[which], `the service as the library, run ${at}, ${outcome.guardrailId}`);
      }
    }
    t.ok(seen.has(true) && seen.has(false), 'some passed and some failed');
  });
}
