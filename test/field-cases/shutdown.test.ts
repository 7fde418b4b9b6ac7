import { existsSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { outputOf } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { type RunningService, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { failure, farDeadline } from './calls.js';

t.test('at SIGTERM the caller of a handler that never returns gets an answer, and the service exits with 0 in its drain time (piscinajs/piscina#575)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '2', '--max-threads', '2', '--drain-timeout', '1500'] });
  const [looping, sleeping] = [join(temporaryFolder(t), 'looping'), join(temporaryFolder(t), 'sleeping')];
  const calls = [service.invoke(toolCall('spin', { started: looping }), farDeadline), service.invoke(toolCall('deaf', { file: sleeping }), farDeadline)];
  await until(() => existsSync(looping) && linesOf(sleeping).length > 0, 'both handlers to run');
  service.child.kill('SIGTERM');
  for (const answer of await Promise.all(calls)) failure(answer, 'cancelled');
  t.strictSame(await until(() => service.ended, 'the exit'), { code: 0, signal: null });
  t.ok(service.record('stopped'));
});

/** A connection that writes what it is given and then nothing; ends when the service closes it. */
async function connection(t: Test, service: RunningService, text: string): Promise<{ closed: Promise<void> }> {
  const socket = net.connect(service.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  if (text) await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return { closed };
}

t.test('at SIGTERM the call in flight gets its 200 with Connection: close, and no idle, silent or half-sent connection holds up the exit (nodejs/node#60617)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '2', '--max-threads', '2', '--drain-timeout', '3000'] });
  const agent = new http.Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  outputOf(await service.invoke(toolCall('echo'), farDeadline, { agent }));
  const head = `POST /v1/invoke HTTP/1.1\r\nhost: x\r\nkindgi-pack-token: ${service.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n`;
  const held = hold(t, service, { request: { agent } });
  await held.running();
  const others = await Promise.all([
    connection(t, service, ''), // silent
    connection(t, service, head), // half its headers
    connection(t, service, `${head}\r\n{"v":2,`), // half its body
    connection(t, service, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'), // idle, after an answer
  ]);
  await service.get('/healthz');
  service.child.kill('SIGTERM');
  await service.recorded('draining');
  t.match(await service.get('/readyz'), { status: 503, body: { error: 'draining' } });
  t.match(await service.invoke(toolCall('echo')), { status: 503, body: { error: 'draining' } });
  held.release();
  const answer = await held.answer;
  t.strictSame(outputOf(answer), { released: true });
  t.equal(answer.headers.connection, 'close');
  t.strictSame(await until(() => service.ended, 'the exit'), { code: 0, signal: null });
  await Promise.all(others.map((other) => other.closed));
});
