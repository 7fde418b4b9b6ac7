import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { hold } from '../calls-in-flight.js';
import { checkCall, ids, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { deadline, failure, farDeadline, leavingCall, named } from './calls.js';

t.test('every way that a call ends puts one reason into its answer and the same into its record (josdejong/workerpool#511)', async (t) => {
  const service = await serve(t, { pack: 'ends-every-way', args: ['--min-threads', '2', '--max-threads', '2', '--grace', '100', '--drain-timeout', '1000'] });
  const ways: readonly (readonly [requestId: string, code: string, message: Record<string, unknown>, headers?: ReturnType<typeof deadline>])[] = [
    ['heeds its signal', 'deadline-exceeded', toolCall('wait', { ms: 60_000 }), deadline(100)],
    ['settles after its deadline', 'deadline-exceeded', toolCall('deaf', { ms: 150 }), deadline(100)],
    ['rejects after its deadline', 'deadline-exceeded', toolCall('deaf', { ms: 150, rejects: true }), deadline(100)],
    ['outlives its grace', 'deadline-exceeded', toolCall('deaf', { ms: 60_000 }), deadline(100)],
    ['blocks its thread', 'deadline-exceeded', toolCall('spin'), deadline(100)],
    ['throws', 'handler-throw', toolCall('throws')],
    ['exits', 'handler-throw', toolCall('die', { way: 'exit' })],
    ['has an exception nobody handles', 'handler-throw', toolCall('die', { way: 'exception' })],
    ['has a rejection nobody handles', 'handler-throw', toolCall('die', { way: 'rejection' })],
    ['gets a wrong input', 'input-validation-failed', toolCall('numbers', { n: 'one' })],
    ['gives a wrong output', 'output-validation-failed', toolCall('breaks-output')],
    ['is not in the pack', 'tool-not-in-pack', toolCall('nobody')],
    ['is in another version', 'tool-version-mismatch', toolCall('echo', {}, { tool: { id: 'echo', version: '9.9.9' } })],
  ];
  for (const [requestId, code, message, headers] of ways) {
    failure(await service.invoke({ ...message, ...named(requestId) }, headers ?? farDeadline), code);
    t.match(await service.recorded('call', (record) => record['requestId'] === requestId), { outcome: code, level: 'warn', target: 'tool', ...ids }, requestId);
  }
  const checks: readonly (readonly [id: string, code: string])[] = [['throws-check', 'handler-throw'], ['no-verdict', 'check-shape-invalid'], ['nobody', 'check-not-in-pack']];
  for (const [id, code] of checks) {
    failure(await service.invoke(checkCall(id), farDeadline), code);
    t.match(await service.recorded('call', (record) => record['checkId'] === id), { outcome: code, level: 'warn', target: 'check', ...ids }, id);
  }

  const left = leavingCall(service, toolCall('wait', { ms: 60_000 }, named('leaves')));
  await left.sent;
  left.hangUp();
  t.equal(await left.answer, 'gone');
  t.match(await service.recorded('call', (record) => record['requestId'] === 'leaves'), { outcome: 'cancelled' });

  const folder = temporaryFolder(t);
  const inFront = [hold(t, service), hold(t, service)];
  await Promise.all(inFront.map((call) => call.running()));
  failure(await service.invoke(toolCall('echo', {}, named('waits in vain')), deadline(100)), 'deadline-exceeded');
  t.match(await service.recorded('call', (record) => record['requestId'] === 'waits in vain'), { outcome: 'deadline-exceeded' });
  for (const call of inFront) call.release();
  await Promise.all(inFront.map((call) => call.answer));

  const started = join(folder, 'unstoppable');
  const unstoppable = service.invoke(toolCall('deaf', { ms: 60_000, started }, named('outlives the service')), farDeadline);
  await until(() => existsSync(started), 'the last handler to run');
  service.child.kill('SIGTERM');
  failure(await unstoppable, 'cancelled');
  t.match(await service.recorded('call', (record) => record['requestId'] === 'outlives the service'), { outcome: 'cancelled' });

  t.equal((await service.exited).code, 0);
  for (const [requestId] of ways) t.equal(service.records.filter((record) => record.kind === 'call' && record['requestId'] === requestId).length, 1, `one record: ${requestId}`);
  t.strictSame(service.stderr.filter((line) => !line.startsWith('{')), [], 'no rejection and no warning of its own came to the surface');
  t.notOk(service.records.some((record) => record['level'] === 'fatal' || record['level'] === 'error'), 'nor did the service take any of it for a fault of its own');
});
