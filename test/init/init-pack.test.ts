/** From an empty folder to a served tool. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { outputOf, verdictOf } from '../answers.js';
import { runCommand } from '../run-command.js';
import { checkCall, projectRoot, serve, toolCall } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const execute = promisify(execFile);

/** A new pack with packhost installed, as `npm install` leaves it. */
async function newPack(t: Test, name: string): Promise<string> {
  const parent = temporaryFolder(t);
  const { code, stdout, stderr } = await runCommand(['init', name], { cwd: parent });
  t.equal(code, 0, stderr);
  t.match(stdout, `cd ${name}`, 'it says how to go on');
  const folder = join(parent, name);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(projectRoot, join(folder, 'node_modules/packhost'));
  return folder;
}

t.test('a new pack passes its own tests, validates, is served from its sources and answers', async (t) => {
  const folder = await newPack(t, 'My Pack 2');
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { test: string } };
  const tests = await execute('sh', ['-c', scripts.test], { cwd: folder, env: { PATH: process.env['PATH'] } });
  t.match(tests.stdout, /pass 2\n/);
  const validated = await runCommand(['validate', '--json'], { cwd: folder });
  t.match(JSON.parse(validated.stdout), { ok: true, packId: 'my-pack-2', problems: [] });
  const service = await serve(t, { pack: folder, index: folder });
  t.same(outputOf(await service.invoke(toolCall('my-pack-2.greet', { name: 'Ada' }))), { greeting: 'Hello, Ada!' });
  t.same(verdictOf(await service.invoke(checkCall('my-pack-2.brief', { words: 1 }))), { passed: true });
  t.notOk(existsSync(join(folder, 'index.json')), 'serving writes nothing');
});

t.test('a new pack is validated and served before anything is installed, by the packhost that made it', async (t) => {
  const parent = temporaryFolder(t);
  t.equal((await runCommand(['init', 'bare'], { cwd: parent })).code, 0);
  const folder = join(parent, 'bare');
  t.notOk(existsSync(join(folder, 'node_modules')));
  t.equal((await runCommand(['validate'], { cwd: folder })).code, 0);
  const service = await serve(t, { pack: folder, index: folder });
  t.same(outputOf(await service.invoke(toolCall('bare.greet', { name: 'Ada' }))), { greeting: 'Hello, Ada!' });
});

t.test('a new pack compiles in strict TypeScript', async (t) => {
  const folder = await newPack(t, 'typed');
  const types = { typeRoots: [join(projectRoot, 'node_modules/@types')], types: ['node'] };
  writeFileSync(join(folder, 'tsconfig.test.json'), JSON.stringify({ extends: './tsconfig.json', compilerOptions: types, include: ['.'] }));
  await t.resolves(execute(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '--project', 'tsconfig.test.json'], { cwd: folder }));
});

t.test('a folder that holds something is left as it is', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'mine.txt'), '');
  const { code, stderr } = await runCommand(['init', folder]);
  t.equal(code, 1);
  t.match(stderr, 'mine.txt');
  t.strictSame(readdirSync(folder), ['mine.txt']);
});
