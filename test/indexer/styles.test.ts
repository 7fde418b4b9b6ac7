/** Packs of every style: each indexes to the bytes that any other build of it has, serves, and answers. */
import { mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { outputOf, verdictOf } from '../answers.js';
import { copyPack, runCommand } from '../run-command.js';
import { checkCall, type RunningService, serve, toolCall } from '../running-service.js';

interface Index {
  readonly [field: string]: unknown;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly guardrails: readonly Readonly<Record<string, unknown>>[];
  readonly agents: readonly Readonly<Record<string, unknown>>[];
}

const named = ['--artifact-version', '7', '--published-at', '2026-11-30T01:02:03+01:00'];

/** Indexes a fixture in two places that differ in all but the source, and serves what came out. */
async function build(t: Test, fixture: string): Promise<{ index: Index; service: RunningService }> {
  const pack = copyPack(t, fixture);
  const copied = copyPack(t, fixture);
  const elsewhere = join(dirname(copied), 'ö deeper', 'x');
  mkdirSync(dirname(elsewhere));
  renameSync(copied, elsewhere);
  const [here, there] = await Promise.all([
    runCommand(['index', ...named], { cwd: pack, env: { LC_ALL: 'C', TZ: 'UTC' } }),
    runCommand(['index', elsewhere, ...named], { cwd: '/', env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' }, within: ['sh', '-c', 'umask 077; exec "$@"', 'sh'] }),
  ]);
  t.strictSame([here.code, there.code], [0, 0], here.stderr + there.stderr);
  const text = readFileSync(join(pack, 'index.json'), 'utf8');
  t.equal(readFileSync(join(elsewhere, 'index.json'), 'utf8'), text, 'two builds give the same bytes');
  t.equal(statSync(join(elsewhere, 'index.json')).mode & 0o777, 0o600, 'under the umask of the second');
  t.equal((await runCommand(['validate', join(pack, 'index.json')])).code, 0, 'and it validates');
  return { index: JSON.parse(text) as Index, service: await serve(t, { pack }) };
}

t.test('JSON Schema', async (t) => {
  const { index, service } = await build(t, 'written-with-json-schema');
  const { tools: [tool], guardrails: [brief, cites], agents: [agent], ...rest } = index;
  t.match(rest, { v: 1, packId: 'json', packVersion: '1.2.0', artifactVersion: '7', publishedAt: '2026-11-30T00:02:03.000Z' });
  t.strictSame(rest['env'], { optional: ['JSON_ACCENT', 'JSON_VOLUME'], required: [] }, 'names are sorted');
  t.match(tool, { id: 'json.echo', version: '1.2.0', modulePath: 'tools/echo.mjs', mutating: false, network: { kind: 'none' }, limits: { memMB: 256, cpuMs: 5000 }, effects: [{ kind: 'none' }] });
  t.notOk('handler' in (tool ?? {}));
  t.match(brief, { id: 'json.brief', checkId: 'json.checks.brief', checkModulePath: 'guardrails/brief.mjs', config: { words: 3 }, configSchema: { type: 'object' }, severity: 'warning' });
  t.match(cites, { id: 'json.cites', checkId: 'must-cite', checkModulePath: 'guardrails/cites.mjs' });
  t.match(agent, { id: 'json.helper', modulePath: 'agents/helper.mjs', tools: [{ id: 'json.echo', version: '1.2.0' }, { id: 'other.search', version: '^2.0.0' }], guardrails: ['json.brief', 'json.cites'] });
  t.match(rest['flows'], [{ id: 'json.pipeline', kernelPayloadVersion: 1, modulePath: 'flows/pipeline.mjs' }]);
  t.same(outputOf(await service.invoke(toolCall('json.echo', { text: 'x' }))), { text: 'x' });
  t.same(verdictOf(await service.invoke(checkCall('json.checks.brief', { words: 1 }))), { passed: true });
});

t.test('Zod, as input, as inputZod, in a check and in an agent', async (t) => {
  const { index, service } = await build(t, 'written-with-zod');
  t.match(index.tools, [
    { id: 'zod.greet', input: { type: 'object', required: ['name'], properties: { name: { type: 'string', description: 'Who' }, times: { default: 1 } } }, output: { required: ['greeting'] } },
    { id: 'zod.shout', input: { required: ['text'] }, output: { required: ['text'] } },
  ]);
  t.match(index.guardrails, [{ checkId: 'zod.brief', configSchema: { properties: { letters: { default: 20 } } } }]);
  t.match(index.agents, [{ output: { schema: { properties: { verdict: { enum: ['yes', 'no'] } } } } }]);
  t.same(outputOf(await service.invoke(toolCall('zod.greet', { name: ' Ada ', times: 2 }))), { greeting: 'Hello, Ada and Ada!' }, 'the schema itself parses as well');
  t.same(outputOf(await service.invoke(toolCall('zod.greet', { name: 'Bo' }))), { greeting: 'Hello, Bo!' });
  t.same(outputOf(await service.invoke(toolCall('zod.shout', { text: 'hey' }))), { text: 'HEY' });
  t.equal((await service.invoke(checkCall('zod.brief', { letters: -1 }))).body.code, 'input-validation-failed');
});

t.test('plain functions, the module itself being the definition', async (t) => {
  const { index, service } = await build(t, 'written-as-plain-functions');
  t.match(index.tools, [{ id: 'plain.add', modulePath: 'tools/add.mjs' }, { id: 'plain.negate', modulePath: 'tools/negate.cjs', output: true }]);
  t.same(outputOf(await service.invoke(toolCall('plain.add', { a: 1, b: 2 }))), { sum: 3 });
  t.same((await service.invoke(toolCall('plain.negate', { a: 4 }))).body.output, -4);
  t.same(verdictOf(await service.invoke(checkCall('plain.polite'))), { passed: false });
});

t.test('TypeScript, without a build; a stack names the line as it was written', async (t) => {
  const { index, service } = await build(t, 'written-in-typescript');
  t.strictSame(index.tools.map(({ modulePath }) => modulePath), ['tools/add.ts', 'tools/throws.mts']);
  t.same(outputOf(await service.invoke(toolCall('ts.add', { numbers: [1, 2, 3] }))), { sum: '6 points' });
  t.same(verdictOf(await service.invoke(checkCall('ts.brief'))), { passed: true });
  for (let call = 0; call < 2; call++) {
    const { code, cause } = (await service.invoke(toolCall('ts.throws'))).body;
    t.equal(code, 'handler-throw');
    t.match(cause?.['stack'], /tools\/throws\.mts:9:44/, 'in a thread of its own, too');
  }
});

t.test('several definitions in a file, several versions of a tool, results as existing packs export them', async (t) => {
  const { index, service } = await build(t, 'written-several-in-a-file');
  t.strictSame(
    index.tools.map(({ id, version }) => [id, version]),
    [['many.double', '1.0.0'], ['many.halve', '5.0.0'], ['many.length', '5.0.0'], ['many.round', '1.0.0'], ['many.round', '2.0.0']],
    'sorted by id, then version; one without a version has its pack’s',
  );
  t.strictSame(index.guardrails.map(({ id }) => id), ['many.calm', 'many.quiet']);
  const numberOf = async (id: string, version?: string): Promise<unknown> => outputOf(await service.invoke(toolCall(id, { n: 2.5 }, { tool: { id, ...(version === undefined ? {} : { version }) } })))['n'];
  t.equal(await numberOf('many.double'), 5);
  t.equal(await numberOf('many.halve'), 1.25);
  t.equal(await numberOf('many.round', '1.0.0'), 2);
  t.equal(await numberOf('many.round', '2.0.0'), 3);
  t.equal((await service.invoke(toolCall('many.length', 'four'))).body.output, 4);
  t.same(verdictOf(await service.invoke(checkCall('many.calm'))), { passed: true });
});
