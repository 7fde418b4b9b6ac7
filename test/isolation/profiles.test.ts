/** Isolation profiles: which calls share threads, how threads are shared out, and what a limit says when it is passed. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { errorOf, failsWith, outputOf } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { type RunningService, checkCall, serve, toolCall, until } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';

// Each profile is a thread to be started.
t.setTimeout(180_000);

/** A deadline that nothing here comes near. */
const far = { 'kindgi-timeout-ms': '60000' };
const modules = {
  'thread.mjs': "import { threadId } from 'node:worker_threads';\nlet calls = 0;\nexport const handler = () => ({ threadId, calls: ++calls });\nexport const evaluate = () => ({ passed: ++calls === 1, threadId });\n",
  'wait.mjs': 'export const handler = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, { waited: ms }));\n',
  'loop.mjs': 'export const handler = () => { for (;;); };\n',
  'buffers.mjs': 'export const handler = () => {\n  const kept = [];\n  for (let n = 0; n < 80; n++) kept.push(Buffer.alloc(1024 * 1024, 1));\n  for (;;) kept.at(0);\n};\n',
  'deaf.mjs': 'export const handler = () => new Promise(() => {});\n',
  'open.mjs': "import { closeSync, openSync } from 'node:fs';\nexport const handler = ({ fifo }) => { closeSync(openSync(fifo, 'r')); return {}; };\n",
};
const none = { network: { kind: 'none' } };

/** How many threads the service's process has. */
const threadsOf = (service: RunningService): number => readdirSync(`/proc/${service.pid}/task`).length;
const threadOf = async (service: RunningService, id = 'thread'): Promise<unknown> => outputOf(await service.invoke(toolCall(id), far))['threadId'];

t.test('under strict no thread serves two calls, also in a burst larger than the threads there may be', async (t) => {
  const strict = { sandbox: 'strict' };
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('thread', 'thread.mjs', strict)], guardrails: [guardrailEntry('first', 'thread.mjs', strict)] }), modules);
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '2'] });
  const outputs = (await Promise.all(Array.from({ length: 7 }, () => service.invoke(toolCall('thread'), far)))).map(outputOf);
  outputs.push(outputOf(await service.invoke(toolCall('thread'), far)));
  t.equal(new Set(outputs.map(({ threadId }) => threadId)).size, 8, 'as many threads as calls');
  t.ok(outputs.every(({ calls }) => calls === 1), 'each with modules of its own');
  t.match((await service.invoke(checkCall('first'), far)).body, { kind: 'check-result', result: { passed: true } }, 'a check may be strict as well');
});

t.test('the listening record says which profiles there are, and what each holds', async (t) => {
  const strict = { sandbox: 'strict', limits: { memMB: 128, cpuMs: 2000 } };
  const tools = [toolEntry('one', 'thread.mjs'), toolEntry('other', 'thread.mjs'), toolEntry('held', 'thread.mjs', strict), toolEntry('offline', 'thread.mjs', none)];
  const service = await serve(t, { pack: temporaryPack(t, indexOf({ tools, guardrails: [guardrailEntry('first', 'thread.mjs', strict)] }), modules) });
  t.strictSame(service.record('listening')?.['profiles'], [
    { sandbox: 'context-isolated', network: { kind: 'unrestricted' }, tools: 2, checks: 0 },
    { sandbox: 'strict', memMB: 128, cpuMs: 2000, network: { kind: 'unrestricted' }, tools: 1, checks: 1 },
    { sandbox: 'context-isolated', network: { kind: 'none' }, tools: 1, checks: 0 },
  ]);
});

t.test('a profile that only few calls use costs no thread once the idle timeout has passed', async (t) => {
  const plain = Array.from({ length: 3 }, (_, at) => toolEntry(`plain-${at}`, 'thread.mjs'));
  const pack = temporaryPack(t, indexOf({ tools: [...plain, toolEntry('rare', 'thread.mjs', none)] }), modules);
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '4', '--idle-timeout', '2000'] });
  await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready');
  const first = await threadOf(service, 'rare');
  const busy = threadsOf(service);
  t.equal(await threadOf(service, 'rare'), first, 'its thread is warm while it is used');
  await until(() => threadsOf(service) < busy, 'its thread to end', 30_000);
  t.not(await threadOf(service, 'rare'), first, 'a later call gets another one');
});

t.test('a flooded profile does not keep another from its threads', async (t) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('wait', 'wait.mjs'), toolEntry('wait-too', 'wait.mjs'), toolEntry('thread', 'thread.mjs', none)] }), modules);
  const service = await serve(t, { pack, args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '64'] });
  let left = 30;
  const flood = Array.from({ length: left }, () => service.invoke(toolCall('wait', { ms: 250 }), far).finally(() => left--));
  await until(() => threadsOf(service) > 2, 'the flood to arrive');
  outputOf(await service.invoke(toolCall('thread'), far));
  t.ok(left > 5, `the other call was answered with ${left} of 30 still to come`);
  t.ok((await Promise.all(flood)).every(({ status }) => status === 200), 'and none of the flood is lost');
});

t.test('the cause of a passed limit carries the limit, its value and what was used', async (t) => {
  const limits = { limits: { memMB: 48, cpuMs: 20_000 } };
  const pack = temporaryPack(
    t,
    indexOf({
      tools: [toolEntry('buffers', 'buffers.mjs', limits), toolEntry('loop', 'loop.mjs', { limits: { cpuMs: 200 } }), toolEntry('thread', 'thread.mjs')],
      guardrails: [guardrailEntry('loops', 'check-loop.mjs', { limits: { cpuMs: 200 } })],
    }),
    { ...modules, 'check-loop.mjs': 'export const evaluate = () => { for (;;); };\n' },
  );
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '3'] });
  const [memory, cpu, check] = (await Promise.all([service.invoke(toolCall('buffers'), far), service.invoke(toolCall('loop'), far), service.invoke(checkCall('loops'), far)])).map(errorOf);
  for (const [error, limit, value] of [[memory, 'memMB', 48], [cpu, 'cpuMs', 200], [check, 'cpuMs', 200]] as const) {
    t.match(error, { code: 'handler-throw', cause: { name: 'ResourceLimitExceeded', limit, value } }, limit);
    t.ok(Number(error?.cause?.['used']) > value, `more was used: ${String(error?.cause?.['used'])}`);
  }
  t.match([memory?.toolId, cpu?.toolId, check?.checkId], ['buffers', 'loop', 'loops']);
  await threadOf(service);
});

t.test('under none calls share a thread up to --calls-per-worker, and a lost neighbour lets the others finish', async (t) => {
  const tools = ['thread', 'wait', 'deaf'].map((id) => toolEntry(id, `${id}.mjs`, { sandbox: 'none' }));
  const pack = temporaryPack(t, indexOf({ tools: [...tools, toolEntry('apart', 'thread.mjs', { sandbox: 'context-isolated' })] }), modules);
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '2', '--calls-per-worker', '4', '--grace', '100'] });
  const shared = await threadOf(service);
  const neighbours = Array.from({ length: 2 }, () => service.invoke(toolCall('wait', { ms: 1500 }), far));
  const lost = service.invoke(toolCall('deaf'), { 'kindgi-timeout-ms': '300' });
  t.equal(await threadOf(service), shared, 'a fourth call runs on the same thread meanwhile');
  t.not(await threadOf(service, 'apart'), shared, 'one of another profile does not');
  failsWith(t, await lost, 'deadline-exceeded');
  for (const neighbour of await Promise.all(neighbours)) t.strictSame(outputOf(neighbour), { waited: 1500 }, 'a neighbour finishes');
  await until(async () => (await threadOf(service)) !== shared, 'the thread of the lost call to be replaced');
});

t.test('versions of one tool are told apart although they are held differently', async (t) => {
  const versions = { '1.0.0': {}, '2.0.0': none, '3.0.0': { sandbox: 'strict' } };
  const pack = temporaryPack(
    t,
    indexOf({ tools: Object.entries(versions).map(([version, how]) => toolEntry('versioned', `v${version}.mjs`, { version, ...how })) }),
    Object.fromEntries(Object.keys(versions).map((version) => [`v${version}.mjs`, `export const handler = () => ({ version: '${version}' });\n`])),
  );
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '4'] });
  const call = (version?: string) => service.invoke(toolCall('versioned', {}, { tool: { id: 'versioned', version } }), far);
  for (const version of Object.keys(versions)) t.strictSame(outputOf(await call(version)), { version });
  failsWith(t, await call('4.0.0'), 'tool-version-mismatch');
  failsWith(t, await call(), 'tool-version-mismatch', 'a message that names no version');
});

t.test('with more threads stuck in native code than allowed the service is not ready, says why, and ends by itself', async (t) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('open', 'open.mjs'), toolEntry('thread', 'thread.mjs')] }), modules);
  const service = await serve(t, {
    pack,
    args: ['--min-threads', '2', '--max-threads', '2', '--grace', '100', '--max-stuck-threads', '1', '--drain-timeout', '3000', '--drain-delay', '1000'],
    env: { UV_THREADPOOL_SIZE: '8' },
  });
  const folder = mkdtempSync(join(tmpdir(), 'packhost-fifo-'));
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  t.teardown(() => {
    // Whatever happened, nobody waits for the other end for ever.
    closeSync(openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK));
    rmSync(folder, { recursive: true });
  });
  failsWith(t, await service.invoke(toolCall('open', { fifo }), { 'kindgi-timeout-ms': '200' }), 'deadline-exceeded');
  t.match(await service.recorded('threads-stuck', undefined, 30_000), { level: 'error', count: 1, allowed: 1 });
  await threadOf(service);
  t.equal((await service.get('/readyz')).status, 200, 'up to the bound it is ready');

  failsWith(t, await service.invoke(toolCall('open', { fifo }), { 'kindgi-timeout-ms': '200' }), 'deadline-exceeded');
  await service.recorded('unusable', undefined, 30_000);
  t.equal((await service.get('/readyz')).status, 503);
  t.match(service.record('threads-stuck', ({ count }) => count === 2), { allowed: 1 });
  await until(() => service.ended, 'the end of the process', 60_000);
  t.not(service.ended?.code, 0, 'it does not end as if all were well');
  t.ok(service.record('stopped'), 'it drained first');
});

t.test('above --max-rss threads that have run calls are replaced, and no call is lost', async (t) => {
  const service = await serve(t, { pack: 'waits-for-files', args: ['--min-threads', '1', '--max-threads', '2', '--max-rss', '1'] });
  const held = hold(t, service);
  await held.running();
  t.match(await service.recorded('memory-high', undefined, 30_000), { level: 'warn', maxRssMb: 1 });
  await sleep(1200);
  held.release();
  t.strictSame(outputOf(await held.answer), { released: true }, 'a call under way is waited for');
  for (let call = 0; call < 20; call++) outputOf(await service.invoke(toolCall('touch'), far));
  t.equal((await service.get('/readyz')).status, 200);
});

t.test('above --max-rss the thread is another one after a while', async (t) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('thread', 'thread.mjs')] }), modules);
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '1', '--max-rss', '1'] });
  const first = await threadOf(service);
  await until(async () => (await threadOf(service)) !== first, 'another thread', 30_000);
});
