/** A running service is given a new version of its pack: no call is lost, none runs twice, and what cannot be served changes nothing. */
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startPackService } from '../src/index.js';
import { outputOf, turnedAway } from './answers.js';
import { linesOf } from './calls-in-flight.js';
import { reportingMemory } from './main-thread-memory.js';
import { type HttpAnswer, type RunningService, serve, toolCall, until } from './running-service.js';
import { indexOf, temporaryFolder, toolEntry } from './temporary-pack.js';

t.setTimeout(180_000);

const artifact = 'kindgi-artifact-version';
const farDeadline = { 'kindgi-timeout-ms': '60000' };

/** Writes a file in one step. */
function put(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, `${file}.next`), text);
  renameSync(join(folder, `${file}.next`), join(folder, file));
}

/** A version of a pack: its tool answers the version, notes each run, and waits for a file if it is told to. */
function publish(folder: string, version: number, more: Record<string, unknown> = {}): void {
  const module = `version-${version}.mjs`;
  put(folder, module, `import { appendFileSync, existsSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    const ballast = new Array(65_536).fill(${version}.5);
    export async function handler({ log, number, until }) {
      if (log) appendFileSync(log, number + '\\n');
      while (until && !existsSync(until)) await setTimeout(5);
      return { version: ballast[0] - 0.5 };
    }\n`);
  put(folder, 'index.json', JSON.stringify(indexOf({ artifactVersion: `build-${version}`, tools: [toolEntry('work', module)], ...more })));
}

function publishedPack(t: Test): string {
  const folder = temporaryFolder(t);
  publish(folder, 1);
  return folder;
}

/** Asks for a reload as an operator does, and answers its record. */
async function reload(service: RunningService) {
  const isReload = ({ kind }: { kind?: string }): boolean => kind === 'reloaded' || kind === 'reload-failed';
  const before = service.records.filter(isReload).length;
  service.child.kill('SIGHUP');
  return until(() => service.records.filter(isReload)[before], 'the record of the reload', 30_000);
}

const servedBy = (answer: HttpAnswer) => ({ ...outputOf(answer), artifact: answer.headers[artifact] });
const threadsOf = ({ pid }: RunningService): number => readdirSync(`/proc/${pid}/task`).length;

t.test('forty versions under load: each call is answered once, by the version its header names, and threads and heap stay level (nodejs/help#2806)', async (t) => {
  const folder = publishedPack(t);
  const log = join(temporaryFolder(t), 'log');
  const memory = reportingMemory(t);
  const service = await serve(t, {
    pack: folder,
    ...memory.options,
    args: ['--min-threads', '1', '--max-threads', '2', '--log-level', 'warn'],
  });
  let called = 0;
  let calls = true;
  const load = Array.from({ length: 3 }, async () => {
    while (calls) {
      const { version, artifact } = servedBy(await service.invoke(toolCall('work', { log, number: called++ }), farDeadline)) as { version?: number; artifact: unknown };
      if (artifact !== `build-${version}`) throw new Error(`version ${version} answered as ${String(artifact)}`);
      await sleep(20);
    }
  });
  let early = { heap: 0, threads: 0 };
  for (let version = 2; version <= 41; version++) {
    publish(folder, version);
    t.match(await reload(service), { kind: 'reloaded', artifactVersion: `build-${version}`, tools: 1, checks: 0 });
    t.strictSame(servedBy(await service.invoke(toolCall('work'), farDeadline)), { version, artifact: `build-${version}` }, `version ${version} is live`);
    rmSync(join(folder, `version-${version - 1}.mjs`));
    if (version === 11) early = { heap: await memory.heapUsed(service), threads: threadsOf(service) };
  }
  calls = false;
  await Promise.all(load);
  const runs = linesOf(log);
  t.ok(called >= 40, `${called} calls`);
  t.equal(new Set(runs).size, called, 'each ran');
  t.equal(runs.length, called, 'none ran twice');
  const heap = await memory.heapUsed(service);
  t.ok(heap < early.heap + 4 * 1024 * 1024, `the heap went from ${early.heap} to ${heap} bytes`);
  // One more may have been added for calls that waited, and idles.
  await until(() => threadsOf(service) <= early.threads + 1, `no more than ${early.threads + 1} threads`);
});

t.test('a call stays with the version that it was handed to, and its thread ends with it', async (t) => {
  const folder = publishedPack(t);
  const service = await serve(t, { pack: folder, args: ['--min-threads', '1', '--max-threads', '1', '--max-queue', '8'] });
  const threads = threadsOf(service);
  const [log, release] = [join(temporaryFolder(t), 'log'), join(temporaryFolder(t), 'release')];
  const held = service.invoke(toolCall('work', { log, number: 1, until: release }), farDeadline);
  await until(() => linesOf(log).length === 1, 'the first call to run');
  const queued = service.invoke(toolCall('work'), farDeadline);
  // In flight as the next request is answered, and so before it.
  await service.get('/v1/info');
  publish(folder, 2);
  await reload(service);
  t.strictSame(servedBy(await service.invoke(toolCall('work'))), { version: 2, artifact: 'build-2' }, 'new calls do not wait for it');
  t.equal(((await service.get('/v1/info')).body as { artifactVersion?: unknown }).artifactVersion, 'build-2');
  for (const answer of await Promise.all(Array.from({ length: 4 }, () => service.invoke(toolCall('work'))))) t.equal(servedBy(answer).artifact, 'build-2');
  t.ok(threadsOf(service) <= threads + 1, 'beyond --max-threads there is only what the new version needs to be warm');
  writeFileSync(release, '');
  t.strictSame(servedBy(await held), { version: 1, artifact: 'build-1' });
  t.strictSame(servedBy(await queued), { version: 1, artifact: 'build-1' });
  await until(() => threadsOf(service) <= threads, 'the old thread to end');
});

t.test('a call that has not run as the threads of its version are lost runs in the next one', async (t) => {
  const folder = publishedPack(t);
  const service = await serve(t, { pack: folder, args: ['--min-threads', '1', '--max-threads', '1', '--max-queue', '8', '--grace', '0'] });
  const log = join(temporaryFolder(t), 'log');
  const held = service.invoke(toolCall('work', { log, number: 1, until: '/nowhere' }), { 'kindgi-timeout-ms': '3000' });
  await until(() => linesOf(log).length === 1, 'the first call to run');
  const queued = service.invoke(toolCall('work'), farDeadline);
  await service.get('/v1/info');
  publish(folder, 2);
  await reload(service);
  rmSync(join(folder, 'version-1.mjs'));
  t.equal((await held).body.code, 'deadline-exceeded');
  t.strictSame(servedBy(await queued), { version: 2, artifact: 'build-2' });
});

t.test('a version that cannot be served is reported, and the one before goes on', async (t) => {
  const folder = publishedPack(t);
  const service = await serve(t, { pack: folder, args: ['--min-threads', '1'] });
  const breaks: [string, () => void, RegExp][] = [
    ['an index that is no JSON', () => put(folder, 'index.json', '{'), /index/],
    ['a module that is not there', () => publish(folder, 2, { tools: [toolEntry('work', 'gone.mjs')] }), /gone\.mjs/],
    ['a module that throws', () => {
      publish(folder, 2);
      put(folder, 'version-2.mjs', 'throw new Error("not yet");');
    }, /version-2\.mjs/],
    ['a schema that does not compile', () => publish(folder, 2, { tools: [toolEntry('work', 'version-1.mjs', { input: { type: 'nothing' } })] }), /Tool "work"/],
  ];
  for (const [what, spoil, names] of breaks) {
    spoil();
    const record = await reload(service);
    t.equal(record.kind, 'reload-failed', what);
    t.match((record['problems'] as string[]).join(), names);
    t.strictSame(servedBy(await service.invoke(toolCall('work'))), { version: 1, artifact: 'build-1' });
  }
  publish(folder, 3);
  t.match(await reload(service), { kind: 'reloaded' });
  t.strictSame(servedBy(await service.invoke(toolCall('work'))), { version: 3, artifact: 'build-3' });
});

t.test('what a version needs of the environment is looked at anew', async (t) => {
  const folder = publishedPack(t);
  const service = await serve(t, { pack: folder, args: ['--min-threads', '1'] });
  publish(folder, 2, { env: { required: ['WANTED'], optional: [] } });
  await reload(service);
  turnedAway(t, await service.invoke(toolCall('work')), 'missing env');
  t.match((await service.get('/v1/info')).body, { missingEnv: ['WANTED'] });
  publish(folder, 3);
  await reload(service);
  outputOf(await service.invoke(toolCall('work')));
});

t.test('reloads that are asked for during one are one more, after it', async (t) => {
  const folder = publishedPack(t);
  const service = await startPackService({ token: 'token', index: folder, host: '127.0.0.1', port: 0, minThreads: 1, logLevel: 'silent' });
  const first = service.reload();
  // Begun, once it has come to another turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  publish(folder, 2);
  const [second, third] = [service.reload(), service.reload()];
  t.equal(second, third);
  t.match(await first, { kind: 'reloaded' });
  t.match(await second, { kind: 'reloaded', artifactVersion: 'build-2', tools: 1 });
  put(folder, 'index.json', '');
  t.match(await service.reload(), { kind: 'failed', problems: [String] });
  await service.close();
  t.match(await service.reload(), { kind: 'closed' });
});

t.test('a service that is closed gives up the reload that is under way', async (t) => {
  const folder = publishedPack(t);
  const service = await startPackService({ token: 'token', index: folder, host: '127.0.0.1', port: 0, minThreads: 1, logLevel: 'silent' });
  const log = join(temporaryFolder(t), 'log');
  publish(folder, 2);
  put(folder, 'version-2.mjs', `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(log)}, 'loading\\n'); await new Promise((resolve) => setTimeout(resolve, 600_000));`);
  const reload = service.reload();
  await until(() => linesOf(log).length > 0, 'the new version to load');
  t.strictSame(await service.close(), { stuckThreads: 0 });
  t.strictSame(await reload, { kind: 'closed' });
});
