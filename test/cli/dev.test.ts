/** A pack is served while it is written: changes are live at once, and what cannot be served changes nothing. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { outputOf } from '../answers.js';
import { reportingMemory } from '../main-thread-memory.js';
import { runCommand } from '../run-command.js';
import { type RunningService, type ServeOptions, launch, packhostCommand, projectRoot, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

t.setTimeout(180_000);
const execute = promisify(execFile);

/** Starts a session; its token is in the lines that it prints. */
async function session(t: Test, options: Omit<ServeOptions, 'isDev'>): Promise<RunningService> {
  const service = await launch(t, { ...options, isDev: true }).listening();
  service.token = await until(() => /KINDGI_PACK_SERVICE_TOKEN=(\S+) /.exec(service.stdout.join('\n'))?.[1], 'the calls to paste');
  return service;
}

function packOf(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [file, text] of Object.entries({ 'kindgi.config.mjs': `export default { pack: { id: 'p', version: '1.0.0' } };`, ...files })) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const versionTool = `import { version } from '../shared/version.mjs';
export default { id: 'p.version', input: { type: 'object' }, output: { type: 'object', required: ['version'] }, handler: () => ({ version }) };\n`;

const threadsOf = ({ pid }: RunningService): number => readdirSync(`/proc/${pid}/task`).length;

t.test('a hundred edits under constant calls, ten of them broken: no call fails, the newest version answers, threads and heap stay level', async (t) => {
  const folder = packOf(t, { 'tools/version.mjs': versionTool, 'shared/version.mjs': 'export const version = 0;\n' });
  const memory = reportingMemory(t);
  const service = await session(t, {
    pack: folder,
    ...memory.options,
    args: ['--min-threads', '1', '--max-threads', '2', '--log-level', 'warn'],
  });
  const call = async (): Promise<unknown> => outputOf(await service.invoke(toolCall('p.version')))['version'];
  let calls = true;
  let called = 0;
  const load = Array.from({ length: 2 }, async () => {
    for (; calls; await sleep(20)) {
      await call();
      called++;
    }
  });
  const failures = (): number => service.records.filter(({ kind }) => kind === 'reload-failed').length;
  const shared = join(folder, 'shared/version.mjs');
  let early = { heap: 0, threads: 0 };
  for (let edit = 1; edit <= 100; edit++) {
    const text = edit % 10 === 5 ? `export const version = ;\n` : `export const version = ${edit};\n`;
    if (edit % 2 === 0) {
      writeFileSync(shared, text);
    } else {
      writeFileSync(`${shared}.next`, text);
      renameSync(`${shared}.next`, shared);
    }
    // A version that is waited for, or one that is refused; those between come as an editor saves, some while others load.
    if (edit % 50 === 5) await until(() => failures() > edit / 50, `edit ${edit} to be refused`, 30_000);
    else if (edit % 10 === 0) await until(async () => (await call()) === edit, `edit ${edit} to be live`, 30_000);
    else await sleep(100);
    if (edit === 20) early = { heap: await memory.heapUsed(service), threads: threadsOf(service) };
  }
  calls = false;
  await Promise.all(load);
  // A thread of the version before may have been added so late that it read the last one.
  await until(async () => (await call()) === 100, 'the newest version to answer');
  t.ok(called > 100, `${called} calls`);
  t.ok(failures() >= 2, `${failures()} broken edits were told`);
  t.ok(service.records.filter(({ kind }) => kind === 'reloaded').length >= 5, 'and others taken');
  const heap = await memory.heapUsed(service);
  t.ok(heap < early.heap + 4 * 1024 * 1024, `the heap went from ${early.heap} to ${heap} bytes`);
  // One more may have been added for calls that waited, and idles.
  await until(() => threadsOf(service) <= early.threads + 1, `no more than ${early.threads + 1} threads`);
});

t.test('from an empty folder to a served tool: init, dev, and the calls that it prints', async (t) => {
  const parent = temporaryFolder(t);
  mkdirSync(join(parent, 'bin'));
  mkdirSync(join(parent, 'node_modules'));
  symlinkSync(projectRoot, join(parent, 'node_modules/packhost'));
  const start = packhostCommand.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(parent, 'bin/npx'), `#!/bin/sh\n[ "$1" = packhost ] || exit 64\nshift\nexec ${start} "$@"\n`, { mode: 0o755 });
  t.equal((await runCommand(['init', 'x'], { cwd: parent })).code, 0);
  const service = await session(t, { pack: join(parent, 'x'), token: 'of-another-service' });
  t.not(service.token, 'of-another-service', 'its token is its own');
  const lines = service.stdout.filter((line) => /^curl |packhost call/.test(line));
  t.equal(lines.length, 2);
  const paste = async (line = ''): Promise<string> => (await execute('sh', ['-ec', line], { env: { PATH: `${join(parent, 'bin')}:${process.env['PATH'] ?? ''}` } })).stdout;
  const [curl, call] = lines;
  t.same(JSON.parse(await paste(curl)), { v: 2, kind: 'result', output: { greeting: 'Hello, text!' } });
  t.same(JSON.parse(await paste(call)), { greeting: 'Hello, text!' });

  const tool = join(parent, 'x/tools/greet.ts');
  const source = readFileSync(tool, 'utf8');
  writeFileSync(tool, source.replace('Hello', 'Good day'));
  await service.recorded('reloaded');
  t.same(JSON.parse(await paste(call)), { greeting: 'Good day, text!' }, 'a change of TypeScript is live');
  writeFileSync(tool, source.replace("id: 'x.greet'", 'id: 7'));
  await service.recorded('reload-failed');
  await until(() => service.stderr.some((line) => line.includes('the version before is served')), 'the table');
  t.match(service.stderr.join('\n'), /^tools\/greet\.ts$/m, 'problems are told by file');
  t.same(JSON.parse(await paste(call)), { greeting: 'Good day, text!' });
  t.equal((await service.stop('SIGINT')).code, 0);
});

t.test('a session begins with a pack that cannot be served, and goes on as it can be; files made later count, an index and packages do not', async (t) => {
  const folder = packOf(t, { 'tools/version.mjs': versionTool, 'node_modules/other/index.js': '' });
  const service = launch(t, { pack: folder, isDev: true, args: ['--min-threads', '1'] });
  await until(() => service.stderr.some((line) => line.includes('waiting for a change')), 'the problems');
  mkdirSync(join(folder, 'shared'));
  writeFileSync(join(folder, 'shared/version.mjs'), 'export const version = 1;\n');
  await service.listening();
  service.token = await until(() => /KINDGI_PACK_SERVICE_TOKEN=(\S+) /.exec(service.stdout.join('\n'))?.[1], 'the calls to paste');
  t.same(outputOf(await service.invoke(toolCall('p.version'))), { version: 1 });
  writeFileSync(join(folder, 'node_modules/other/index.js'), 'changed');
  t.equal((await runCommand(['index', folder])).code, 0);
  mkdirSync(join(folder, 'tools/more'));
  writeFileSync(join(folder, 'tools/more/other.mjs'), versionTool.replace('../shared', '../../shared').replace('p.version', 'p.other'));
  t.match(await service.recorded('reloaded', ({ tools }) => tools === 2), { artifactVersion: /^\d{8}\.\d+$/ });
  t.same(outputOf(await service.invoke(toolCall('p.other'))), { version: 1 });
});

t.test('dev --help says what it is, and lists the flags', async (t) => {
  const { code, stdout } = await runCommand(['dev', '--help']);
  t.equal(code, 0);
  t.match(stdout, 'packhost dev [DIR]');
  t.match(stdout, '--port');
});
