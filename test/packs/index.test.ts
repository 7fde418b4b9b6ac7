import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import t from 'tap';
import { outputOf, verdictOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { checkCall, serve, toolCall } from '../running-service.js';
import { answeringModule, guardrailEntry, indexOf, passingModule, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

const modules = { 'tool.mjs': answeringModule, 'check.mjs': passingModule };
const without = (entry: Record<string, unknown>, ...fields: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entry).filter(([field]) => !fields.includes(field)));

t.test('an index that cannot be read ends the start', async (t) => {
  const folder = temporaryFolder(t);
  for (const text of ['{ nope', '[]']) {
    const [problem] = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, text) });
    t.match(problem, /^Cannot read the pack index/, JSON.stringify(text));
  }
  for (const index of [join(folder, 'nowhere.json'), folder]) {
    const [problem] = await problemsOf(t, 'boot-failed', { pack: folder, index });
    t.match(problem, /^Cannot read the pack index/);
    t.match(problem, index, 'the problem names the file');
  }
});

t.test('an envelope of any version but 1 is refused', async (t) => {
  await Promise.all([2, '1', undefined].map(async (v) => {
    const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, indexOf({ v, tools: [toolEntry('a', 'tool.mjs')] }), modules) });
    t.equal(problems.length, 1);
  }));
});

t.test('every required field that is missing or of the wrong type is named, all at once', async (t) => {
  const index = without(indexOf({
    tools: [
      without(toolEntry('no-input', 'tool.mjs'), 'input'),
      without(toolEntry('no-output', 'tool.mjs'), 'output'),
      without(toolEntry('no-module', 'tool.mjs'), 'modulePath'),
      without(toolEntry('no-module-and-no-input', 'tool.mjs'), 'modulePath', 'input'),
      toolEntry('odd-module', 'tool.mjs', { modulePath: 7 }),
      toolEntry('fine', 'tool.mjs'),
    ],
    guardrails: [
      without(guardrailEntry('no-action', 'check.mjs'), 'action'),
      without(guardrailEntry('no-kind', 'check.mjs'), 'kind'),
      without(guardrailEntry('no-check-module', 'check.mjs'), 'checkModulePath'),
    ],
    artifactVersion: 7,
  }), 'packId');
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, index, modules) });
  const missing = [['packId'], ['artifactVersion'], ['"no-input"', 'input'], ['"no-output"', 'output'], ['"no-module"', 'modulePath'],
    ['"no-module-and-no-input"', 'modulePath'], ['"no-module-and-no-input"', "'input'"], ['"odd-module"', 'modulePath'],
    ['"no-action"', 'action'], ['"no-kind"', 'kind'], ['"no-check-module"', 'checkModulePath']];
  for (const parts of missing) problemNaming(t, problems, ...parts);
  t.notOk(problems.some((problem) => problem.includes('"fine"')), 'a sound entry is not named');
});

t.test('a tool or guardrail without an id, or a list that is none, is refused', async (t) => {
  const entries = indexOf({
    tools: [toolEntry('fine', 'tool.mjs'), without(toolEntry('x', 'tool.mjs'), 'id'), toolEntry('', 'tool.mjs'), null],
    guardrails: [without(guardrailEntry('x', 'check.mjs'), 'id')],
  });
  t.ok((await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, entries, modules) })).length >= 4, 'a problem for each');
  const lists = { ...indexOf({}), tools: { a: toolEntry('a', 'tool.mjs') }, guardrails: 'none' };
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, lists, modules) });
  problemNaming(t, problems, 'tools');
  problemNaming(t, problems, 'guardrails');
});

t.test('two entries of one tool id and version are refused; two versions stand side by side', async (t) => {
  const twice = indexOf({ tools: [toolEntry('twice', 'tool.mjs'), toolEntry('twice', 'tool.mjs'), toolEntry('once', 'tool.mjs'), toolEntry('once', 'tool.mjs', { version: '2.0.0' })] });
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, twice, modules) });
  problemNaming(t, problems, 'twice', '1.0.0');
  t.equal(problems.length, 1, 'the other tool is no problem');
});

t.test('a module path that leaves the module root is refused, though the file is there', async (t) => {
  const outside = temporaryPack(t, '{}', modules);
  const name = outside.slice(outside.lastIndexOf('/') + 1);
  const paths = [`../${name}/tool.mjs`, `deep/../../${name}/tool.mjs`, join(outside, 'tool.mjs')];
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, indexOf({ tools: paths.map((path, at) => toolEntry(`leaves-${at}`, path)) }), modules) });
  for (const path of paths) problemNaming(t, problems, path);
});

t.test('every missing module is named', async (t) => {
  const index = indexOf({
    tools: [toolEntry('a', 'gone/a.mjs'), toolEntry('b', 'tool.mjs'), toolEntry('c', 'gone/c.mjs'), toolEntry('d', 'gone')],
    guardrails: [guardrailEntry('e', 'gone/e.mjs')],
  });
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, index, { ...modules, 'gone/there.mjs': answeringModule }) });
  t.strictSame(problems.sort(), ['gone', 'gone/a.mjs', 'gone/c.mjs', 'gone/e.mjs'].map((path) => `Missing module: ${path}`));
});

t.test('what a newer indexer wrote is read past', async (t) => {
  const later = { laterField: { deep: [1] }, laterList: [] };
  const pack = temporaryPack(t, indexOf({
    tools: [toolEntry('tool', 'tool.mjs', { ...later, description: 'x', effects: ['read'], needs: [], needsSpec: {}, network: { kind: 'allowlist', hosts: ['api.example.com'] }, mutating: false, pauses: false, storesFiles: true })],
    guardrails: [guardrailEntry('check', 'check.mjs', { ...later, name: 'x', scope: { when: 'always' }, config: {} })],
    agents: [{ id: 'agent', version: '1.0.0', name: 'Agent', instructions: 'Be brief.', capabilities: [], tools: [], modulePath: 'agents/agent.mjs', ...later }],
    flows: [{ id: 'flow', version: '1.0.0', nodes: [], edges: [], kernelPayloadVersion: 1, modulePath: 'flows/flow.mjs', ...later }],
    ...later,
  }), modules);
  const service = await serve(t, { pack });
  t.same(outputOf(await service.invoke(toolCall('tool'))), { answered: true });
  t.same(verdictOf(await service.invoke(checkCall('check'))), { passed: true });
});

t.test('an index in another folder takes its modules from --module-root', async (t) => {
  const pack = temporaryPack(t, '{}', { 'deep/tool.mjs': answeringModule });
  const index = join(temporaryFolder(t), 'elsewhere.json');
  writeFileSync(index, JSON.stringify(indexOf({ tools: [toolEntry('tool', 'deep/tool.mjs')] })));
  const service = await serve(t, { pack, index });
  t.same(outputOf(await service.invoke(toolCall('tool'))), { answered: true });
});
