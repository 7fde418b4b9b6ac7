import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { outputOf } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { failure, farDeadline, hasWholeCapacity, named } from './calls.js';

const threads = 3;
const ends = await serve(t, {
  pack: 'ends-its-own-thread',
  args: ['--min-threads', String(threads), '--max-threads', String(threads), '--max-concurrency', String(threads)],
});
const die = (way: string, more: Record<string, unknown> = {}, requestId = way) => ends.invoke(toolCall('die', { way, ...more }, named(requestId)), farDeadline);

t.test('process.exit in a handler fails that call at once, and the calls beside and after it work (piscinajs/piscina#304)', async (t) => {
  for (const way of ['exit at once', 'exit after an await', 'exit from a timer', 'exit, whoever catches']) {
    const held = hold(t, ends);
    await held.running();
    for (const code of [0, 1, 7]) {
      const body = failure(await die(way, { code }), 'handler-throw');
      t.match(body, { toolId: 'die', cause: { name: 'WorkerExited' } }, `${way}, code ${code}`);
      t.strictSame(outputOf(await ends.invoke(toolCall('echo', { after: code }), farDeadline)), { after: code });
    }
    held.release();
    t.strictSame(outputOf(await held.answer), { released: true }, 'the call on another thread never noticed');
  }
  t.equal(ends.ended, undefined, 'the service lives');
});

t.test('a call whose thread died is never run again (jestjs/jest#4497)', async (t) => {
  const folder = temporaryFolder(t);
  for (const way of ['exit at once', 'exit after an await', 'exception nobody handles', 'rejection nobody handles']) {
    const file = join(folder, way);
    failure(await die(way, { code: 1, file }), 'handler-throw');
    await hasWholeCapacity(t, ends, threads);
    t.strictSame(linesOf(file), ['ran'], way);
  }
});

t.test('one crash more than there are threads, and the next call works with the whole capacity (OpenFn/kit#569)', async (t) => {
  for (let crash = 0; crash <= threads; crash++) failure(await die('exception nobody handles'), 'handler-throw');
  t.strictSame(outputOf(await ends.invoke(toolCall('echo', { next: true }), farDeadline)), { next: true });
  await hasWholeCapacity(t, ends, threads);
});

t.test('when all threads die in one moment they are replaced, and ready is only said when a call can run (graphile/worker#592)', async (t) => {
  const before = ends.records.filter((record) => record.kind === 'thread-ended').length;
  const at = Date.now() + 300;
  const dying = Promise.all(Array.from({ length: threads }, (_, number) => die('exit at a time', { at }, `dies-${number}`)));
  for (const answer of await dying) t.match(failure(answer, 'handler-throw'), { cause: { name: 'WorkerExited' } });
  const ready = await ends.get('/readyz');
  if (ready.status === 200) t.strictSame(outputOf(await ends.invoke(toolCall('echo', { ready: true }), farDeadline)), { ready: true });
  else t.match(ready, { status: 503, body: { error: 'not ready' } });
  await hasWholeCapacity(t, ends, threads);
  t.equal(ends.records.filter((record) => record.kind === 'thread-ended').length, before + threads, 'each ended thread has its record');
});

t.test('while no thread can be started it is not ready, and it is again once one can (graphile/worker#592)', async (t) => {
  const file = join(temporaryFolder(t), 'no-loading');
  const service = await serve(t, { pack: 'stops-loading-on-request', args: ['--min-threads', '1', '--max-threads', '1'], env: { NO_LOADING_FILE: file } });
  writeFileSync(file, '');
  failure(await service.invoke(toolCall('exit'), farDeadline), 'handler-throw');
  t.match(await service.recorded('thread-failed'), { problems: [/no loading today/] });
  const unready = await until(async () => {
    const answer = await service.get('/readyz');
    return answer.status === 503 ? answer : undefined;
  }, 'readyz to fail');
  t.strictSame(unready.body, { error: 'not ready' });
  t.match(await service.invoke(toolCall('echo')), { status: 503, headers: { 'retry-after': /^\d+$/ } }, 'a call is refused, not lost');
  t.equal((await service.get('/healthz')).status, 200);
  rmSync(file);
  await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready again', 30_000);
  t.strictSame(outputOf(await service.invoke(toolCall('echo', { again: true }), farDeadline)), { again: true });
});

t.test('a thread in an endless loop does not slow healthz, and is replaced (platformatic/platformatic#4728)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '1', '--max-threads', '1', '--grace', '100'] });
  const before = outputOf(await service.invoke(toolCall('thread'), farDeadline)) as { threadId: number };
  const started = join(temporaryFolder(t), 'started');
  const spinning = service.invoke(toolCall('spin', { started }), { 'kindgi-timeout-ms': '2000' });
  await until(() => existsSync(started), 'the loop');
  const took: number[] = [];
  for (let probe = 0; probe < 30; probe++) {
    took.push((await service.get('/healthz')).elapsedMs);
    await sleep(20);
  }
  took.sort((a, b) => a - b);
  const median = took[15] ?? Infinity;
  t.ok(median < 50, `healthz took ${Math.round(median)} ms beside the loop`);
  failure(await spinning, 'deadline-exceeded');
  const after = outputOf(await service.invoke(toolCall('thread'), farDeadline)) as { threadId: number };
  t.not(after.threadId, before.threadId, 'another thread took its place');
  t.ok(service.record('thread-ended'), 'and the end of the first is on record');
});
