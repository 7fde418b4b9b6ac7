import http from 'node:http';
import net, { type Socket } from 'node:net';
import t from 'tap';
import { outputOf } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { type RunningService, ids, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const service = await serve(t, { pack: 'waits-for-files', args: ['--max-concurrency', '8'] });
const touch = toolCall('touch');
const cancelled = (service: RunningService): number => service.records.filter(({ kind, outcome }) => kind === 'call' && outcome === 'cancelled').length;

/** Writes raw bytes on a connection of their own; answers the connection. */
function connect(bytes: string): Socket {
  const socket = net.connect(service.port, '127.0.0.1');
  socket.on('error', () => {}); // The service may close on what this test sends.
  socket.write(bytes);
  return socket;
}

t.test('a thousand ordinary calls on connections of their own: not one is taken for a hang-up', async (t) => {
  let served = 0;
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let call = 0; call < 250; call += 1) if (outputOf(await service.invoke(touch))['touched'] === true) served += 1;
  }));
  t.equal(served, 1000);
  t.equal(cancelled(service), 0);
});

t.test('many calls go over one kept connection', async (t) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const sockets = new Set<Socket>();
  let served = 0;
  for (let call = 0; call < 300; call += 1) {
    const answer = await service.invoke(touch, {}, { agent, onRequest: (request) => request.once('socket', (socket) => sockets.add(socket)) });
    if (outputOf(answer)['touched'] === true) served += 1;
  }
  t.equal(served, 300);
  t.equal(sockets.size, 1);
  t.equal(cancelled(service), 0);
});

t.test('an error leaves the connection usable', async (t) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  for (let round = 0; round < 20; round += 1) {
    t.equal((await service.invoke('{ nope', {}, { agent })).body.code, 'malformed-message');
    t.equal((await service.get('/nowhere', { agent })).status, 404);
    t.equal((await service.get('/v1/info', { agent, token: 'wrong' })).status, 401);
  }
  t.same(outputOf(await service.invoke(touch, {}, { agent })), { touched: true });
});

t.test('two requests sent at once on one connection are answered in their order', async (t) => {
  const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const socket = connect(request('/healthz') + request('/readyz'));
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (data) => { text += data.toString(); });
  await until(() => text.includes('"ready"'), 'both answers');
  t.ok(text.indexOf('"ok"') > 0 && text.indexOf('"ok"') < text.indexOf('"ready"'));
});

t.test('a caller that offers to upgrade to HTTP/2 is answered in HTTP/1.1', async (t) => {
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' };
  t.same(outputOf(await service.invoke(touch, headers)), { touched: true });
});

t.test('a caller that hangs up fires the signal of its call, as cancelled', async (t) => {
  let leave = (): void => {};
  const held = hold(t, service, {
    extra: { ctx: { ...ids, requestId: 'left' } },
    request: { onRequest: (request) => { leave = () => request.destroy(); } },
  });
  await held.running();
  leave();
  await until(() => held.lines().length > 1, 'the signal', 3000);
  t.strictSame(held.lines(), ['running', 'aborted CallCancelled cancelled']);
  const record = await service.recorded('call', ({ requestId }) => requestId === 'left');
  t.equal(record['outcome'], 'cancelled');
});

t.test('callers that leave in the middle of their body give their places back', async (t) => {
  const log = `${temporaryFolder(t)}/log`;
  const body = JSON.stringify(toolCall('touch', { log }));
  const head = `POST /v1/invoke HTTP/1.1\r\nhost: localhost\r\nkindgi-pack-token: ${service.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  for (let caller = 0; caller < 40; caller += 1) {
    const socket = connect(head + body.slice(0, -2));
    await new Promise<void>((resolve) => socket.write('}', () => resolve()));
    socket.destroy();
  }
  await until(async () => (await service.invoke(touch)).status === 200, 'a free place');
  const all = await Promise.all(Array.from({ length: 8 }, () => service.invoke(touch)));
  t.strictSame(all.map(({ status }) => status), Array.from({ length: 8 }, () => 200), 'all eight places are free');
  t.strictSame(linesOf(log), [], 'and no call ran whose message never came to its end');
});

t.test('callers that hang up give their places back', async (t) => {
  const leave: (() => void)[] = [];
  const held = Array.from({ length: 8 }, () => hold(t, service, { request: { onRequest: (request) => leave.push(() => request.destroy()) } }));
  await Promise.all(held.map((call) => call.running()));
  t.equal((await service.invoke(touch)).status, 503, 'every place is taken');
  for (const hangUp of leave) hangUp();
  await until(async () => (await service.invoke(touch)).status === 200, 'a free place');
  await until(() => held.every((call) => call.lines().length > 1), 'every signal');
});

t.test('bytes that are no HTTP close their own connection and nothing else', async (t) => {
  const closed = ['GARBAGE\r\n\r\n', '\u0000\u0001\u0002', 'GET /healthz HTTP/9.9\r\n\r\n', 'POST /v1/invoke HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'];
  for (const bytes of closed) {
    const socket = connect(bytes);
    await until(() => socket.closed || (socket.resume(), false), JSON.stringify(bytes));
  }
  t.same(outputOf(await service.invoke(touch)), { touched: true });
});
