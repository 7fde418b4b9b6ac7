/** The front under abuse: what comes over the wire in bad faith costs its own connection and nobody else's call. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { type HttpAnswer, ids, serve, toolCall, until } from '../running-service.js';
import { indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';

t.setTimeout(180_000);

const open = { input: true, output: true };
const pack = temporaryPack(t, indexOf({ tools: [toolEntry('echo', 'echo.mjs', open), toolEntry('big', 'big.mjs'), toolEntry('ignores', 'ignores.mjs', open)] }), {
  'echo.mjs': 'export const handler = (input) => input;\n',
  'big.mjs': "export const handler = ({ megabytes }) => ({ text: 'x'.repeat(megabytes * 1024 * 1024) });\n",
  'ignores.mjs': 'export const handler = () => ({ ignored: true });\n',
});
const service = await serve(t, { pack, args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '64'] });
const echo = (input: unknown): Promise<HttpAnswer> => service.invoke(toolCall('echo', input));
const memoryMb = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;
outputOf(await echo({ warm: true }));
const memoryAtStart = memoryMb();

const sockets = new Set<Socket>();
t.teardown(() => {
  for (const socket of sockets) socket.destroy();
});

/** A connection that writes what it is told, and is closed by the service or at the end. */
function connect(bytes = ''): Socket {
  const socket = net.connect(service.port, '127.0.0.1');
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.on('error', () => {}); // The service may close on what this test sends.
  if (bytes !== '') socket.write(bytes);
  return socket;
}

const head = (path: string, fields: readonly string[] = [], method = 'POST'): string => [`${method} ${path} HTTP/1.1`, 'host: localhost', `kindgi-pack-token: ${service.token}`, ...fields, '', ''].join('\r\n');
const post = (body: string, fields: readonly string[] = []): string => head('/v1/invoke', ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, ...fields]) + body;

/** Asks healthz and calls a tool while something goes on, healthz from a thread of its own: this one may be busy with the abuse. */
async function unaffected(t: Test, abuse: () => Promise<unknown>): Promise<void> {
  const probe = new Worker(new URL('../field-cases/healthz-probe.js', import.meta.url), { workerData: { port: service.port, probes: 40, everyMs: 20 } });
  const probed = once(probe, 'message');
  await abuse();
  for (let call = 0; call < 5; call++) t.strictSame(outputOf(await echo({ call })), { call }, 'other calls are answered');
  const took = ((await probed) as [number[]])[0];
  // It takes a few milliseconds; a front that is held up takes as long as the abuse.
  t.ok((took[20] ?? Infinity) < 500, `healthz stays quick: median ${Math.round(took[20] ?? -1)} ms, at most ${Math.round(took.at(-1) ?? -1)} ms`);
  const memory = memoryMb();
  t.ok(memory < memoryAtStart + 400, `memory is bounded: ${Math.round(memory)} MB after ${Math.round(memoryAtStart)} MB`);
}

/** These wait for the service's own timeouts: they are opened first and looked at last. */
const dribbling = Array.from({ length: 20 }, () => connect('GET /healthz HTTP/1.1\r\nhost: localhost\r\n'));
const dribble = setInterval(() => {
  for (const socket of dribbling) if (socket.writable) socket.write('x-slow: 1\r\n');
}, 1000);
const silent = Array.from({ length: 20 }, () => connect());
t.teardown(() => clearInterval(dribble));

t.test('forty bodies that stop coming are ended by the deadlines of their calls', async (t) => {
  await unaffected(t, async () => {
    const body = JSON.stringify(toolCall('echo', {}));
    const slow = Array.from({ length: 40 }, () => connect(head('/v1/invoke', ['content-type: application/json', 'content-length: 5000', 'kindgi-timeout-ms: 700']) + body.slice(0, 40)));
    const answers = await Promise.all(slow.map(async (socket) => String((await once(socket, 'data'))[0])));
    t.ok(answers.every((answer) => answer.startsWith('HTTP/1.1 200') && answer.includes('deadline-exceeded')), 'each is answered');
  });
});

t.test('clients that close their half of the connection are taken to have left, and give their places back', async (t) => {
  const body = JSON.stringify(toolCall('echo', { half: 'open' }));
  for (const bytes of [post(body), post(body).slice(0, -3), head('/healthz', [], 'GET').slice(0, -3)]) {
    const leaving = Array.from({ length: 70 }, () => connect(bytes).end());
    for (const socket of leaving) socket.resume();
    await until(() => leaving.every(({ closed }) => closed), 'their connections to be closed');
  }
  await until(async () => (await echo({})).status === 200, 'a free place');
  const all = await Promise.all(Array.from({ length: 60 }, () => echo({})));
  t.ok(all.every(({ status }) => status === 200), 'nearly the whole capacity is there again');
});

t.test('requests that are pipelined on one connection are answered in their order', async (t) => {
  const requests = Array.from({ length: 30 }, (_, at) => (at % 10 === 9 ? head('/healthz', [], 'GET') : post(JSON.stringify(toolCall('echo', { at })))));
  await unaffected(t, async () => {
    const socket = connect(requests.join(''));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    const statuses = () => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
    await until(() => statuses().length === 30 && text.endsWith('}'), 'thirty answers');
    t.ok(statuses().every((status) => status.endsWith('200')), 'all 200');
    const order = [...text.matchAll(/"at":(\d+)|"status":"ok"/g)].map(([, at]) => at);
    t.strictSame(order, requests.map((_, at) => (at % 10 === 9 ? undefined : String(at))));
    socket.destroy();
  });
});

t.test('thousands of idle connections keep nobody from being served', async (t) => {
  const files = Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  const count = files >= 12_000 ? 10_000 : Math.min(2_000, files - 200);
  t.comment(`${files} open files are allowed here: ${count} connections`);
  await unaffected(t, async () => {
    const idle: Socket[] = [];
    for (let from = 0; from < count; from += 250) {
      const some = Array.from({ length: Math.min(250, count - from) }, () => connect());
      await Promise.all(some.map((socket) => once(socket, 'connect')));
      idle.push(...some);
    }
    t.equal(idle.filter(({ closed }) => !closed).length, count, 'all are open at once');
    t.equal((await service.get('/readyz')).status, 200);
    for (const socket of idle) socket.destroy();
  });
});

t.test('a flood of headers is 431, and its connection is closed', async (t) => {
  await unaffected(t, async () => {
    for (const fields of [[`x-long: ${'x'.repeat(40_000)}`], Array.from({ length: 5_000 }, (_, at) => `x-many-${at}: value`)]) {
      const socket = connect(head('/v1/invoke', fields));
      t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 431 /);
      socket.resume();
      await until(() => socket.closed, 'the connection to be closed');
    }
  });
});

t.test('JSON nested a hundred thousand levels deep reaches a handler that does not care, and is an error of the one that returns it', async (t) => {
  const deep = (id: string, opening: string, closing: string): string => `{"v":2,"kind":"invoke","tool":{"id":"${id}"},"ctx":${JSON.stringify(ids)},"input":${opening.repeat(100_000)}1${closing.repeat(100_000)}}`;
  for (const [opening, closing] of [['[', ']'], ['{"a":', '}']] as const) {
    t.strictSame(outputOf(await service.invoke(deep('ignores', opening, closing))), { ignored: true }, opening);
    const { issues } = failsWith(t, await service.invoke(deep('echo', opening, closing)), 'output-validation-failed', opening);
    t.match(issues?.[0]?.['message'], /nested too deeply/);
    failsWith(t, await service.invoke(deep('echo', opening, '')), 'malformed-message', 'never closed');
  }
  t.strictSame(outputOf(await echo({ next: 1 })), { next: 1 });
});

t.test('numbers, surrogates and keys that are absurd come to what JSON makes of them', async (t) => {
  const call = (input: string, more = ''): string => `{"v":2,"kind":"invoke","tool":{"id":"echo"},"ctx":${JSON.stringify(ids)},"input":${input}${more}}`;
  const text = async (body: string): Promise<string> => (await service.invoke(body)).text;
  const result = (output: string): string => `{"v":2,"kind":"result","output":${output}}`;
  t.equal(await text(call('{"n":1e400,"m":-1e400,"tiny":1e-400,"long":123456789012345678901234567890}')), result('{"n":null,"m":null,"tiny":0,"long":1.2345678901234568e+29}'), 'too large for a number');
  t.equal(await text(call('{"s":"\\ud800 \\udfff\\ud800"}')), result('{"s":"\\ud800 \\udfff\\ud800"}'), 'lone surrogates');
  t.equal(await text(call('{"a":1,"b":2,"a":3}')), result('{"a":3,"b":2}'), 'the last of two keys');
  t.equal(await text(call('1', ',"input":2')), result('2'), 'the last of two inputs');
  t.equal(await text(call('1', ',"tool":{"id":"nobody","id":"ignores"}')), result('{"ignored":true}'), 'the last of two tools');
  const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":2}';
  t.equal(await text(call(evil, `,"__proto__":{"v":3},"constructor":${evil}`)), result(evil), '__proto__ and constructor are keys like others');
  t.equal(await text(call('{}', `,"ctx":{"tenantId":"t","runId":"r","__proto__":{"polluted":true}}`)), result('{}'));
  failsWith(t, await service.invoke('{"__proto__":{"v":2,"kind":"invoke"}}'), 'unknown-protocol-version', 'what is inherited does not count');
  t.equal(await text(call('{}')), result('{}'), 'and nothing was left behind');
  for (const bad of ['', '   ', 'nul', '{"v":2,}', "{'v':2}", '{"v":2}{"v":2}', '\ufeff{"v":2}', '{"v":02}', '[1,]', 'NaN']) failsWith(t, await service.invoke(bad), 'malformed-message', JSON.stringify(bad));
  t.equal(service.record('thread-ended'), undefined, 'no thread was lost over any of it');
});

t.test('bodies of fifty megabytes are refused while they come, several at once', async (t) => {
  await unaffected(t, async () => {
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    const refused = await Promise.all(Array.from({ length: 4 }, async () => {
      const socket = connect(head('/v1/invoke', ['content-type: application/json', `content-length: ${50 * megabyte.length}`]));
      const answered = once(socket, 'data');
      for (let sent = 0; sent < 50; sent++) socket.write(megabyte);
      return String((await answered)[0]);
    }));
    t.ok(refused.every((answer) => answer.startsWith('HTTP/1.1 413 ')), 'each reads its 413');
  });
});

t.test('clients that never read their answers hold their own connection and nobody else', async (t) => {
  await unaffected(t, async () => {
    const deaf = Array.from({ length: 10 }, () => connect(post(JSON.stringify(toolCall('big', { megabytes: 4 })))).pause());
    await until(() => service.records.filter(({ kind, toolId }) => kind === 'call' && toolId === 'big').length === 10, 'ten answers to be ready', 60_000);
    await sleep(200);
    t.ok(deaf.every(({ closed }) => !closed), 'they still wait to be read');
    for (const socket of deaf) socket.destroy();
  });
});

t.test('headers that dribble in and connections that say nothing are closed after a while', async (t) => {
  await until(() => [...dribbling, ...silent].every((socket) => (socket.resume(), socket.closed)), 'the slow connections to be closed', 60_000);
  t.strictSame(outputOf(await echo({ last: true })), { last: true });
});
