/** Each of packhost's own checks on its edges, by the library and by a service that serves all of them. */
import t, { type Test } from 'tap';
import { builtInCheckIds, type BuiltInCheckId, evaluateGuardrail, InvalidGuardrail, type RunTrace } from '../../src/guardrails/index.js';
import { failsWith, verdictOf } from '../answers.js';
import { checkCall, serve } from '../running-service.js';
import { indexOf, temporaryPack } from '../temporary-pack.js';

type Config = Record<string, unknown>;
type Case = readonly [title: string, config: Config, trace: RunTrace, expected: 'passes' | 'fails'];

const guardrail = (check: BuiltInCheckId, config: Config) => ({ id: 'acme.guardrail', kind: 'zero-llm', check, config, action: { 'on-violation': 'halt' } });
const entries = builtInCheckIds.map((checkId) => ({ id: `acme.${checkId}`, kind: 'zero-llm', action: { 'on-violation': 'halt' }, checkId }));
const service = await serve(t, { pack: temporaryPack(t, indexOf({ guardrails: entries })) });

/** The same verdict from the library, from the service by the check's id, and by its guardrail's. */
async function judges(t: Test, check: BuiltInCheckId, cases: readonly Case[]): Promise<void> {
  for (const [title, config, trace, expected] of cases) {
    const outcome = await evaluateGuardrail(guardrail(check, config), trace);
    t.match(outcome, expected === 'passes' ? { kind: 'ok', passed: true, action: 'noop' } : { kind: 'ok', passed: false, action: 'halt', reason: /\w/ }, title);
    for (const id of [check, `acme.${check}`]) {
      const verdict = verdictOf(await service.invoke(checkCall(id, config, { trace })));
      t.match(outcome, verdict, `${title}, served as ${id}`);
    }
  }
}

/** A config that is refused before anything is judged, with the issue at its place. */
async function refuses(t: Test, check: BuiltInCheckId, configs: readonly (readonly [config: Config, at: string])[]): Promise<void> {
  for (const [config, at] of configs) {
    const title = `${check} ${JSON.stringify(config)}`;
    const error: unknown = await evaluateGuardrail(guardrail(check, config), {}).catch((thrown: unknown) => thrown);
    if (!(error instanceof InvalidGuardrail)) throw new Error(`${title} was taken`);
    t.ok(error.issues.some(({ instancePath }) => instancePath === `/config${at}`), title, { issues: error.issues });
    const { issues = [] } = failsWith(t, await service.invoke(checkCall(check, config)), 'input-validation-failed', title);
    t.ok(issues.length > 0, 'the service says where');
  }
}

const called = (...names: string[]): RunTrace => ({ toolCalls: names.map((name) => ({ toolId: `acme.${name}`, toolName: name, arguments: {}, at: '2026-01-01T00:00:00.000Z' })) });

t.test('must-cite wants so many matches in an output that is not empty', async (t) => {
  await judges(t, 'must-cite', [
    ['one citation is enough by default', {}, { output: 'As in [1].' }, 'passes'],
    ['none is not', {}, { output: 'As everybody knows.' }, 'fails'],
    ['an empty output fails', {}, { output: '' }, 'fails'],
    ['an empty output fails even where no citation is asked for', { minCitations: 0 }, { output: '' }, 'fails'],
    ['no output is as good as an empty one', {}, {}, 'fails'],
    ['no output is as good as an empty one, null too', {}, { output: null }, 'fails'],
    ['any output does where no citation is asked for', { minCitations: 0 }, { output: 'no' }, 'passes'],
    ['empty brackets cite nothing', {}, { output: 'a [] b' }, 'fails'],
    ['the brackets after empty ones count', {}, { output: '[][2]' }, 'passes'],
    ['brackets that are never closed cite nothing', {}, { output: '[1 [2 [3' }, 'fails'],
    ['a citation goes on over lines', {}, { output: '[1\n2]' }, 'passes'],
    ['nested brackets are one citation', { minCitations: 2 }, { output: '[a [b] c]' }, 'fails'],
    ['as many as asked for', { minCitations: 3 }, { output: '[1][2] [3]' }, 'passes'],
    ['one too few', { minCitations: 4 }, { output: '[1][2] [3]' }, 'fails'],
    ['the same source twice is two citations', { minCitations: 2 }, { output: '[1] and [1]' }, 'passes'],
    ['a pattern of one’s own', { sourcePattern: 'doi:\\S+' }, { output: 'see doi:10.1/x' }, 'passes'],
    ['the pattern is told apart by case', { sourcePattern: 'doi:' }, { output: 'DOI:10.1/x' }, 'fails'],
    ['matches do not overlap', { sourcePattern: 'aa', minCitations: 3 }, { output: 'aaaa' }, 'fails'],
    ['matches next to each other count', { sourcePattern: 'aa', minCitations: 2 }, { output: 'aaaa' }, 'passes'],
    ['a pattern that matches nothing at all ends', { sourcePattern: 'x*', minCitations: 2 }, { output: 'abc' }, 'passes'],
  ]);
  await refuses(t, 'must-cite', [
    [{ minCitations: -1 }, '/minCitations'],
    [{ minCitations: 1.5 }, '/minCitations'],
    [{ minCitations: '1' }, '/minCitations'],
    [{ sourcePattern: '[' }, '/sourcePattern'],
    [{ sourcePattern: '' }, '/sourcePattern'],
    [{ minimum: 1 }, '/minimum'],
  ]);
});

t.test('never-call-tool knows tools by id, by name, and as objects by id', async (t) => {
  await judges(t, 'never-call-tool', [
    ['no calls', { tools: ['delete'] }, {}, 'passes'],
    ['no calls, as an empty list', { tools: ['delete'] }, { toolCalls: [] }, 'passes'],
    ['other calls', { tools: ['delete'] }, called('read', 'write'), 'passes'],
    ['by name', { tools: ['delete'] }, called('read', 'delete'), 'fails'],
    ['by id', { tools: ['acme.delete'] }, called('read', 'delete'), 'fails'],
    ['an object by its id', { tools: [{ id: 'acme.delete', version: '1.0.0' }] }, called('delete'), 'fails'],
    ['an object is not known by a name', { tools: [{ id: 'delete' }] }, called('delete'), 'passes'],
    ['one of several', { tools: ['read', { id: 'acme.write' }, 'delete'] }, called('write'), 'fails'],
    ['names are told apart by case', { tools: ['Delete'] }, called('delete'), 'passes'],
    ['a part of a name is not the name', { tools: ['del'] }, called('delete'), 'passes'],
    ['what every object inherits is no tool', { tools: ['constructor'] }, called('read'), 'passes'],
    ['none listed', { tools: [] }, called('delete'), 'passes'],
    ['a call without a name', { tools: ['delete'] }, { toolCalls: [{ toolId: 'delete' }] }, 'fails'],
  ]);
  await refuses(t, 'never-call-tool', [
    [{}, ''],
    [{ tools: 'delete' }, '/tools'],
    [{ tools: [''] }, '/tools/0'],
    [{ tools: ['a', {}] }, '/tools/1'],
    [{ tools: [], tool: 'a' }, '/tool'],
  ]);
});

t.test('max-tool-calls counts every call', async (t) => {
  const ten = Array.from({ length: 10 }, () => 'read');
  await judges(t, 'max-tool-calls', [
    ['no calls', {}, {}, 'passes'],
    ['ten by default', {}, called(...ten), 'passes'],
    ['eleven', {}, called(...ten, 'read'), 'fails'],
    ['as many as allowed', { max: 2 }, called('a', 'b'), 'passes'],
    ['one more', { max: 2 }, called('a', 'b', 'a'), 'fails'],
    ['none allowed, none made', { max: 0 }, { toolCalls: null }, 'passes'],
    ['none allowed, one made', { max: 0 }, called('a'), 'fails'],
  ]);
  await refuses(t, 'max-tool-calls', [[{ max: -1 }, '/max'], [{ max: 2.5 }, '/max'], [{ max: null }, '/max'], [{ maximum: 1 }, '/maximum']]);
});

t.test('output-matches tests a pattern, or with negate its absence', async (t) => {
  await judges(t, 'output-matches', [
    ['a match', { pattern: '^\\d+$' }, { output: '42' }, 'passes'],
    ['no match', { pattern: '^\\d+$' }, { output: '42!' }, 'fails'],
    ['anywhere in the output', { pattern: 'b' }, { output: 'abc' }, 'passes'],
    ['told apart by case', { pattern: 'yes' }, { output: 'YES' }, 'fails'],
    ['with a flag for that', { pattern: 'yes', flags: 'i' }, { output: 'YES' }, 'passes'],
    ['a line of several', { pattern: '^b$', flags: 'm' }, { output: 'a\nb\nc' }, 'passes'],
    ['a global flag changes nothing', { pattern: 'a', flags: 'g' }, { output: 'aa' }, 'passes'],
    ['negated, a match fails', { pattern: 'secret', negate: true }, { output: 'a secret' }, 'fails'],
    ['negated, no match passes', { pattern: 'secret', negate: true }, { output: 'nothing' }, 'passes'],
    ['an empty output matches what may be empty', { pattern: '^$' }, { output: '' }, 'passes'],
    ['no output is as good as an empty one', { pattern: '.' }, {}, 'fails'],
    ['negated, an empty output passes', { pattern: '.', negate: true }, {}, 'passes'],
    ['a pattern that is read with u', { pattern: '^.$', flags: 'u' }, { output: '😀' }, 'passes'],
  ]);
  await refuses(t, 'output-matches', [
    [{}, ''],
    [{ pattern: '(' }, '/pattern'],
    [{ pattern: 7 }, '/pattern'],
    [{ pattern: 'a', flags: 'q' }, '/flags'],
    [{ pattern: 'a', flags: 'uv' }, '/flags'],
    [{ pattern: '\\-', flags: 'u' }, '/pattern'],
    [{ pattern: 'a', negate: 'yes' }, '/negate'],
    [{ pattern: 'a', regex: 'b' }, '/regex'],
  ]);
});

t.test('tool-order wants a subsequence of the calls, by name', async (t) => {
  const sequence = ['search', 'read', 'answer'];
  await judges(t, 'tool-order', [
    ['in order', { sequence }, called('search', 'read', 'answer'), 'passes'],
    ['with others between', { sequence }, called('log', 'search', 'log', 'read', 'read', 'answer', 'log'), 'passes'],
    ['out of order', { sequence }, called('read', 'search', 'answer'), 'fails'],
    ['one is missing', { sequence }, called('search', 'answer'), 'fails'],
    ['no calls', { sequence }, {}, 'fails'],
    ['an empty sequence asks for nothing', { sequence: [] }, {}, 'passes'],
    ['a tool that must come twice', { sequence: ['read', 'read'] }, called('read', 'log', 'read'), 'passes'],
    ['came only once', { sequence: ['read', 'read'] }, called('read'), 'fails'],
    ['ids are no names', { sequence: ['acme.search'] }, called('search'), 'fails'],
    ['names are told apart by case', { sequence: ['Search'] }, called('search'), 'fails'],
  ]);
  await refuses(t, 'tool-order', [[{}, ''], [{ sequence: 'a' }, '/sequence'], [{ sequence: [1] }, '/sequence/0'], [{ sequence: [], order: [] }, '/order']]);
});

t.test('required-substring wants every text in the output', async (t) => {
  await judges(t, 'required-substring', [
    ['all are there', { patterns: ['ab', 'cd'] }, { output: 'abcd' }, 'passes'],
    ['texts may overlap', { patterns: ['abc', 'bcd'] }, { output: 'abcd' }, 'passes'],
    ['one is missing', { patterns: ['ab', 'xy'] }, { output: 'abcd' }, 'fails'],
    ['case does not count by default', { patterns: ['Terms APPLY'] }, { output: 'TERMS apply' }, 'passes'],
    ['unless it is said to', { patterns: ['Terms'], caseSensitive: true }, { output: 'terms' }, 'fails'],
    ['none listed', { patterns: [] }, { output: 'a' }, 'passes'],
    ['none listed, no output', {}, {}, 'passes'],
    ['an empty output holds nothing', { patterns: ['a'] }, { output: '' }, 'fails'],
    ['texts are no patterns', { patterns: ['a.c'] }, { output: 'abc' }, 'fails'],
  ]);
  await refuses(t, 'required-substring', [[{ patterns: 'a' }, '/patterns'], [{ patterns: [''] }, '/patterns/0'], [{ caseSensitive: 1 }, '/caseSensitive'], [{ pattern: 'a' }, '/pattern']]);
});

t.test('forbidden-substring wants no text in the output', async (t) => {
  await judges(t, 'forbidden-substring', [
    ['none is there', { patterns: ['x', 'y'] }, { output: 'abcd' }, 'passes'],
    ['one is', { patterns: ['x', 'bc'] }, { output: 'abcd' }, 'fails'],
    ['texts may overlap', { patterns: ['abc', 'bcd'] }, { output: 'abcd' }, 'fails'],
    ['case does not count by default', { patterns: ['Password'] }, { output: 'my PASSWORD' }, 'fails'],
    ['unless it is said to', { patterns: ['Password'], caseSensitive: true }, { output: 'my PASSWORD' }, 'passes'],
    ['none listed', { patterns: [] }, { output: 'a' }, 'passes'],
    ['none listed by default', {}, { output: 'a' }, 'passes'],
    ['an empty output holds nothing', { patterns: ['a'] }, { output: '' }, 'passes'],
    ['texts are no patterns', { patterns: ['.*'] }, { output: 'abc' }, 'passes'],
  ]);
  await refuses(t, 'forbidden-substring', [[{ patterns: [1] }, '/patterns/0'], [{ caseSensitive: null }, '/caseSensitive'], [{ words: [] }, '/words']]);
});

t.test('a trace of another type is an error of the run, not a verdict', async (t) => {
  for (const [check, config, trace] of [
    ['must-cite', {}, { output: { text: '[1]' } }],
    ['max-tool-calls', {}, { toolCalls: 'many' }],
    ['tool-order', { sequence: ['a'] }, { toolCalls: ['a'] }],
  ] as const) {
    t.match(await evaluateGuardrail(guardrail(check, config), trace as unknown as RunTrace), { kind: 'error', code: 'handler-throw', cause: { name: 'TypeError' } }, check);
    t.match(failsWith(t, await service.invoke(checkCall(check, config, { trace })), 'handler-throw').cause, { name: 'TypeError' });
  }
});
