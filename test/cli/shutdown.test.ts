import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { outputOf, turnedAway } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { type RunningService, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const pack = 'waits-for-files';
const soon = ['--drain-timeout', '1000', '--grace', '200'];
/** The life of the service in its records; tap adds names of its own to the environment, which are dropped. */
const kinds = (service: RunningService): string[] => service.records.flatMap(({ kind }) => (kind === undefined || kind === 'call' || kind === 'env-dropped' ? [] : kind));

/** How the service ended after a signal it already got. */
const gone = (service: RunningService) => until(() => service.ended, 'the service to end', 12_000);

t.test('SIGTERM: the call in flight is answered, new ones are turned away, exit 0', async (t) => {
  const service = await serve(t, { pack });
  const agent = new http.Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const held = hold(t, service, { request: { agent } });
  await held.running();
  service.child.kill('SIGTERM');
  await service.recorded('draining');
  turnedAway(t, await service.get('/readyz', { token: null }), 'draining');
  turnedAway(t, await service.invoke(toolCall('touch')), 'draining');
  t.equal((await service.get('/healthz', { token: null })).status, 200);
  t.equal((await service.get('/v1/info')).status, 200);
  held.release();
  const answer = await held.answer;
  t.same(outputOf(answer), { released: true });
  t.equal(answer.headers.connection, 'close', 'its connection is not to be used again');
  t.strictSame(await gone(service), { code: 0, signal: null });
  t.strictSame(kinds(service), ['listening', 'draining', 'calls-refused', 'stopped']);
  t.ok(service.record('call', ({ outcome }) => outcome === 'ok'), 'the call is recorded');
});

t.test('SIGINT does the same', async (t) => {
  const service = await serve(t, { pack });
  const held = hold(t, service);
  await held.running();
  service.child.kill('SIGINT');
  await service.recorded('draining');
  turnedAway(t, await service.get('/readyz'), 'draining');
  held.release();
  t.same(outputOf(await held.answer), { released: true });
  t.strictSame(await gone(service), { code: 0, signal: null });
  t.strictSame(kinds(service), ['listening', 'draining', 'stopped']);
});

t.test('idle, silent and half-sent connections do not keep the service', async (t) => {
  const service = await serve(t, { pack, args: soon });
  const agent = new http.Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  outputOf(await service.invoke(toolCall('touch'), {}, { agent }));
  const head = `POST /v1/invoke HTTP/1.1\r\nhost: localhost\r\nkindgi-pack-token: ${service.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n`;
  const sockets = ['', 'GET /hea', head, `${head}\r\n{"v":2,`].map((bytes) => {
    const socket = net.connect(service.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    if (bytes !== '') socket.write(bytes);
    return socket;
  });
  await until(() => sockets.every((socket) => !socket.connecting), 'the connections');
  outputOf(await service.invoke(toolCall('touch'))); // Accepted after them, so they have been accepted.
  t.strictSame(await service.stop('SIGTERM', 10_000), { code: 0, signal: null });
});

t.test('handlers that never return: their callers get an answer, and the service goes', async (t) => {
  const service = await serve(t, { pack, args: [...soon, '--min-threads', '2'] });
  const logs = ['spin', 'never'].map((id) => ({ id, log: join(temporaryFolder(t), 'log') }));
  const answers = logs.map(({ id, log }) => service.invoke(toolCall(id, { log }), { 'kindgi-timeout-ms': '60000' }));
  await until(() => logs.every(({ log }) => linesOf(log).length > 0), 'both handlers');
  const ended = service.stop('SIGTERM', 10_000);
  for (const answer of await Promise.all(answers)) {
    t.equal(answer.status, 200);
    t.equal(answer.body.kind, 'error');
  }
  t.strictSame(await ended, { code: 0, signal: null });
  t.ok(service.record('stopped'));
});

t.test('a handler with a signal is told before its thread is taken', async (t) => {
  const service = await serve(t, { pack, args: ['--drain-timeout', '1000', '--grace', '4000'] });
  const held = hold(t, service);
  await held.running();
  t.strictSame(await service.stop('SIGTERM', 10_000), { code: 0, signal: null });
  t.equal((await held.answer).body.kind, 'error');
  t.strictSame(held.lines(), ['running', 'aborted CallCancelled cancelled']);
});

t.test('--drain-delay: calls are still taken while readyz already fails', async (t) => {
  const service = await serve(t, { pack, args: ['--drain-delay', '3000'] });
  service.child.kill('SIGTERM');
  await until(async () => (await service.get('/readyz', { token: null })).status === 503, 'readyz to fail');
  t.same(outputOf(await service.invoke(toolCall('touch'))), { touched: true });
  t.strictSame(await gone(service), { code: 0, signal: null });
});

t.test('a second signal never keeps the service', async (t) => {
  const service = await serve(t, { pack, args: soon });
  const held = hold(t, service, { deaf: true });
  await held.running();
  service.child.kill('SIGTERM');
  await service.recorded('draining');
  service.child.kill('SIGTERM');
  service.child.kill('SIGINT');
  t.ok(await gone(service));
});

t.test('a thread that cannot be stopped does not keep the service', async (t) => {
  const service = await serve(t, { pack, args: soon });
  const log = join(temporaryFolder(t), 'log');
  const answer = service.invoke(toolCall('native', { log }), { 'kindgi-timeout-ms': '60000' }).catch(() => undefined);
  const pid = await until(() => linesOf(log)[0], 'the native call');
  t.teardown(() => {
    try {
      process.kill(Number(pid));
    } catch {
      // It ended with the service.
    }
  });
  await service.stop('SIGTERM', 12_000);
  t.equal((await answer)?.body.kind, 'error', 'its caller got an answer');
});
