/** A folder is served from its index.json, or, without one, from its sources. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { BootError, startPackService } from '../../src/index.js';
import { outputOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { copyPack, runCommand } from '../run-command.js';
import { serve, toolCall } from '../running-service.js';
import { indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

t.test('--index may name a folder without an index.json: it is indexed in memory', async (t) => {
  const pack = copyPack(t, 'written-in-typescript');
  const service = await serve(t, { pack, index: pack });
  t.match(service.record('listening'), { packId: 'ts', artifactVersion: /^\d{8}\.1$/ });
  t.same(outputOf(await service.invoke(toolCall('ts.add', { numbers: [20, 22] }))), { sum: '42 points' });
  t.notOk(existsSync(join(pack, 'index.json')), 'nothing is written');
});

t.test('an index.json in the folder is served, rather than the sources beside it', async (t) => {
  const pack = copyPack(t, 'written-as-plain-functions');
  writeFileSync(join(pack, 'index.json'), JSON.stringify(indexOf({ packId: 'indexed', tools: [toolEntry('plain.add', 'tools/add.mjs')] })));
  const service = await serve(t, { pack, index: pack });
  t.match(service.record('listening'), { packId: 'indexed' });
});

t.test('serve takes the folder as its argument', async (t) => {
  const pack = copyPack(t, 'written-as-plain-functions');
  const service = await serve(t, { pack, byFolder: true });
  t.same(outputOf(await service.invoke(toolCall('plain.add', { a: 1, b: 1 }))), { sum: 2 });
});

t.test('the library takes a folder as well, and tells every problem of its sources', async (t) => {
  const pack = copyPack(t, 'written-as-plain-functions');
  const options = { token: 'secret', index: pack, host: '127.0.0.1', port: 0 } as const;
  const service = await startPackService(options);
  await service.close();
  writeFileSync(join(pack, 'tools/broken.mjs'), `export default { id: 'plain.broken', input: true };\n`);
  const error = await startPackService(options).catch((error: unknown) => error);
  t.ok(error instanceof BootError);
  for (const field of ['output', 'handler']) problemNaming(t, error instanceof BootError ? error.problems : [], 'tools/broken.mjs', field);
});

t.test('sources that cannot be indexed end the start, in the record of every other bad boot', async (t) => {
  const pack = copyPack(t, 'written-as-plain-functions');
  writeFileSync(join(pack, 'tools/broken.mjs'), `throw new Error('broken as it loads');\n`);
  problemNaming(t, await problemsOf(t, 'boot-failed', { pack, index: pack }), 'tools/broken.mjs', 'broken as it loads');
  const empty = temporaryFolder(t);
  problemNaming(t, await problemsOf(t, 'boot-failed', { pack: empty, index: empty }), 'Cannot read the pack index', empty);
});

t.test('a built-in check that a guardrail of the sources refers to is served by both ids', async (t) => {
  const service = await serve(t, { pack: copyPack(t, 'written-with-json-schema'), index: copyPack(t, 'written-with-json-schema') });
  t.strictSame((await service.get('/v1/info')).body['checks'], ['json.checks.brief', 'must-cite', 'json.cites']);
});

t.test('builds of one day are numbered, and each replaces the index whole', async (t) => {
  const pack = copyPack(t, 'written-as-plain-functions');
  const versionAfter = async (...flags: string[]): Promise<unknown> => {
    t.equal((await runCommand(['index', pack, ...flags])).code, 0);
    return (JSON.parse(readFileSync(join(pack, 'index.json'), 'utf8')) as { artifactVersion: unknown }).artifactVersion;
  };
  const on = ['--published-at', '2026-02-03T23:59:59Z'];
  t.equal(await versionAfter(...on), '20260203.1');
  t.equal(await versionAfter(...on), '20260203.2');
  t.equal(await versionAfter('--published-at', '2026-02-04T00:00:00Z'), '20260204.1');
  t.equal(await versionAfter('--artifact-version', 'mine'), 'mine');
  t.equal(await versionAfter(...on), '20260203.1', 'a name that is no number starts anew');
  writeFileSync(join(pack, 'tools/broken.mjs'), 'nope(');
  const before = readFileSync(join(pack, 'index.json'));
  t.equal((await runCommand(['index', pack])).code, 1);
  t.ok(readFileSync(join(pack, 'index.json')).equals(before), 'a pack with an error leaves the index as it was');
});

t.test('with a bundle map the index names the bundles, which must be there', async (t) => {
  const pack = copyPack(t, 'written-as-plain-functions');
  writeFileSync(join(pack, 'map.json'), JSON.stringify({ 'tools/add.mjs': 'dist/add.mjs', 'library/other.mjs': 'dist/other.mjs' }));
  const missing = await runCommand(['index', pack, '--bundle-map', join(pack, 'map.json')]);
  t.equal(missing.code, 1);
  t.match(missing.stderr, 'dist/add.mjs');
  rmSync(join(pack, 'map.json'));
  writeFileSync(join(pack, 'add.bundle.mjs'), readFileSync(join(pack, 'tools/add.mjs')));
  writeFileSync(join(pack, 'map.json'), JSON.stringify({ 'tools/add.mjs': 'add.bundle.mjs' }));
  t.equal((await runCommand(['index', pack, '--bundle-map', join(pack, 'map.json')])).code, 0);
  const service = await serve(t, { pack });
  t.same(outputOf(await service.invoke(toolCall('plain.add', { a: 2, b: 2 }))), { sum: 4 });
  t.match(readFileSync(join(pack, 'index.json'), 'utf8'), '"modulePath": "add.bundle.mjs"');
});

t.test('validate judges an index as a boot would, by loading it', async (t) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('acme.a', 'a.mjs'), toolEntry('acme.b', 'b.mjs', { input: { format: 'unheard-of' } })] }), { 'a.mjs': 'export const nothing = 1;\n', 'b.mjs': 'export const handler = () => 1;\n' });
  const { code, stdout } = await runCommand(['validate', join(pack, 'index.json'), '--json']);
  t.equal(code, 1);
  t.match(JSON.parse(stdout), { ok: false, problems: [{ severity: 'error', rule: 'boot', message: /acme\.a.*handler-shape-invalid/ }] });
  const gone = await runCommand(['validate', join(pack, 'nowhere.json')]);
  t.equal(gone.code, 1);
  t.match(gone.stdout, 'nowhere.json');
});
