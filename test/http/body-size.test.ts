import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { outputOf } from '../answers.js';
import { type RunningService, serve, toolCall } from '../running-service.js';

const limit = 10 * 1024 * 1024;
const service = await serve(t, { pack: 'answers-plainly' });
const small = await serve(t, { pack: 'answers-plainly', args: ['--max-body', '1000'] });

/** A call of exactly so many bytes; white space around JSON counts like any other. */
const callOf = (bytes: number): string => JSON.stringify(toolCall('echo', { text: 'x' })).padEnd(bytes, ' ');
const chunked = { 'transfer-encoding': 'chunked' };

/** Sends a whole request before it reads a byte of the answer, as many clients do; answers what it then read. */
function sendAllThenRead(service: RunningService, headers: readonly string[], chunks: number, chunk: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = net.connect(service.port, '127.0.0.1');
    socket.pause();
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
    socket.on('data', (data) => {
      answer += data.toString();
      if (!answer.includes('\r\n\r\n')) return;
      socket.destroy();
      resolve(answer);
    });
    socket.on('end', () => resolve(answer));
    socket.write(['POST /v1/invoke HTTP/1.1', 'host: localhost', ...headers, '', ''].join('\r\n'));
    let sent = 0;
    const send = (): void => {
      for (; sent < chunks; sent += 1) {
        if (!socket.write(chunk)) {
          sent += 1;
          socket.once('drain', send);
          return;
        }
      }
      socket.resume();
    };
    send();
  });
}

t.test('a body of exactly the limit is served, one of a byte more is 413', async (t) => {
  t.same(outputOf(await service.invoke(callOf(limit))), { text: 'x' });
  t.same(outputOf(await service.invoke(callOf(limit), chunked)), { text: 'x' });
  for (const headers of [{}, chunked]) {
    const answer = await service.invoke(callOf(limit + 1), headers);
    t.equal(answer.status, 413);
    t.type((answer.body as { error?: unknown }).error, 'string');
  }
});

t.test('ten million bytes of text go in and come out', async (t) => {
  const text = 'ab\n€'.repeat(1_400_000);
  const { text: back } = outputOf(await service.invoke(toolCall('echo', { text })));
  t.ok(back === text);
});

/** The bytes of a call whose answer is as large as it is. */
function largeCall(text: string): string {
  const body = JSON.stringify(toolCall('echo', { text }));
  return ['POST /v1/invoke HTTP/1.1', 'host: localhost', `kindgi-pack-token: ${service.token}`, 'content-type: application/json', `content-length: ${body.length}`, '', body].join('\r\n');
}

t.test('large answers come whole to a caller who reads slowly, one after the other', async (t) => {
  const texts = ['a'.repeat(3_000_000), 'b'.repeat(300_000), 'c'];
  const socket = net.connect(service.port, '127.0.0.1');
  for (const text of texts) socket.write(largeCall(text));
  let received = '';
  const bodies = (): string[] => received.split(/HTTP\/1\.1 200 OK[^]*?\r\n\r\n/).slice(1);
  for await (const chunk of socket) {
    received += String(chunk);
    if (bodies().length === texts.length && received.endsWith('}')) break;
    await sleep(2);
  }
  t.strictSame(bodies().map((body, at) => (JSON.parse(body) as { output: { text: string } }).output.text === texts[at]), [true, true, true], 'each as it was sent, in the order of the calls');
});

t.test('callers who leave in the middle of a large answer cost nobody else theirs', async (t) => {
  for (let caller = 0; caller < 40; caller++) {
    const socket = net.connect(service.port, '127.0.0.1');
    socket.write(largeCall('x'.repeat(3_000_000)));
    await once(socket, 'data');
    socket.destroy();
  }
  t.same(outputOf(await service.invoke(callOf(1000))), { text: 'x' }, 'more left than there are places');
});

t.test('--max-body moves the limit', async (t) => {
  t.same(outputOf(await small.invoke(callOf(1000))), { text: 'x' });
  t.equal((await small.invoke(callOf(1001))).status, 413);
  t.equal((await small.invoke(callOf(1001), chunked)).status, 413);
});

t.test('a caller that first sends all of a huge body still reads why it was refused', async (t) => {
  const megabyte = Buffer.alloc(1024 * 1024, ' ');
  const framed = Buffer.concat([Buffer.from(`${megabyte.length.toString(16)}\r\n`), megabyte, Buffer.from('\r\n')]);
  const json = 'content-type: application/json';
  const token = `kindgi-pack-token: ${service.token}`;
  const declared = `content-length: ${50 * megabyte.length}`;
  t.match(await sendAllThenRead(service, [token, json, declared], 50, megabyte), /^HTTP\/1\.1 413 /, 'declared');
  t.match(await sendAllThenRead(service, [token, json, 'transfer-encoding: chunked'], 50, framed), /^HTTP\/1\.1 413 /, 'chunked');
  t.match(await sendAllThenRead(service, [json, declared], 50, megabyte), /^HTTP\/1\.1 401 /, 'without the token');
  t.match(await sendAllThenRead(service, [token, 'content-type: text/plain', declared], 50, megabyte), /^HTTP\/1\.1 415 /, 'of another type');
  t.same(outputOf(await service.invoke(callOf(1000))), { text: 'x' }, 'and the service goes on');
});
