import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PackClient, type PackClientOptions, PackServiceError } from '../../src/client/index.js';
import { ids, serve, until } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

const pack = temporaryPack(t, indexOf({
  tools: [
    toolEntry('echo', 'echo.mjs'),
    toolEntry('echo-2', 'echo.mjs', { version: '2.0.0' }),
    toolEntry('throws', 'throws.mjs'),
    toolEntry('waits', 'waits.mjs'),
    toolEntry('pauses', 'pauses.mjs', { pauses: true }),
  ],
  guardrails: [guardrailEntry('short', 'short.mjs')],
}), {
  'echo.mjs': 'export const handler = (input, { tenantId, extra }) => ({ input, tenantId, extra });',
  'throws.mjs': "export const handler = () => { throw new RangeError('too far'); };",
  'waits.mjs': `import { appendFileSync } from 'node:fs';
    export const handler = ({ file }, ctx) => new Promise((resolve) => {
      appendFileSync(file, 'started ');
      ctx.abortSignal.addEventListener('abort', () => { appendFileSync(file, ctx.abortSignal.reason.reason); resolve({}); });
    });`,
  'pauses.mjs': "export const handler = (_input, ctx) => ctx.pause({ name: 'approval' });",
  'short.mjs': 'export const evaluate = ({ most }, { output }) => ({ passed: output.length <= most });',
});
const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '2'] });

const clientOf = (t: Test, options: Partial<PackClientOptions> = {}): PackClient => {
  const client = new PackClient({ url: `http://127.0.0.1:${service.port}`, token: service.token, ...options });
  t.teardown(() => client.close());
  return client;
};

t.test('every outcome of a call is an answer', async (t) => {
  const client = clientOf(t);
  t.strictSame(await client.invoke('echo', { a: 1 }, { ...ids, extra: 'too' }), { v: 2, kind: 'result', output: { input: { a: 1 }, tenantId: ids.tenantId, extra: 'too' } });
  t.match(await client.invoke({ id: 'echo-2', version: '1.0.0' }, {}, ids), { kind: 'error', code: 'tool-version-mismatch' });
  t.match(await client.invoke('throws', {}, ids), { kind: 'error', code: 'handler-throw', cause: { name: 'RangeError', message: 'too far' } });
  t.match(await client.invoke('pauses', {}, { ...ids, waitToken: { id: 'w', url: 'https://runtime.example' } }), { kind: 'pause', name: 'approval' });
  t.strictSame(await client.check('short', { most: 3 }, { ...ids, output: 'four' }), { v: 2, kind: 'check-result', result: { passed: false } });
  t.match(await client.check('nowhere', {}, ids), { kind: 'error', code: 'check-not-in-pack' });
});

t.test('the service says what its pack holds', async (t) => {
  t.match(await clientOf(t).info(), { packId: 'temporary', checks: ['short'], missingEnv: [] });
});

t.test('a deadline is answered as one', async (t) => {
  const file = join(temporaryFolder(t), 'said');
  t.match(await clientOf(t).invoke('waits', { file }, ids, { timeoutMs: 50 }), { kind: 'error', code: 'deadline-exceeded' });
});

t.test('a signal cancels the call, and its handler hears of it', async (t) => {
  const file = join(temporaryFolder(t), 'said');
  const said = (): Promise<string> => readFile(file, 'utf8').catch(() => '');
  const controller = new AbortController();
  const call = clientOf(t).invoke('waits', { file }, ids, { signal: controller.signal });
  await until(async () => (await said()) === 'started ', 'the handler to start');
  controller.abort(new Error('changed my mind'));
  await t.rejects(call, { message: 'changed my mind' });
  await until(async () => (await said()) === 'started cancelled', 'the handler to hear of it');
  await t.rejects(clientOf(t).invoke('echo', {}, ids, { signal: controller.signal }), { message: 'changed my mind' }, 'and a call with a signal that has fired is not made');
});

t.test('a service that refuses or cannot be reached is an error of its own kind', async (t) => {
  await t.rejects(clientOf(t, { token: 'wrong' }).invoke('echo', {}, ids), { name: 'PackServiceError', kind: 'refused', status: 401 });
  await t.rejects(clientOf(t, { url: `http://127.0.0.1:${service.port}/elsewhere` }).info(), { name: 'PackServiceError', kind: 'refused', status: 404 });
  await t.rejects(clientOf(t, { url: 'http://127.0.0.1:2' }).invoke('echo', {}, ids), { name: 'PackServiceError', kind: 'unreachable', status: undefined });
});

const result = JSON.stringify({ v: 2, kind: 'result', output: 'at last' });

/** A front before services, as balancers are: it answers each request with the next of the answers, the last one for ever. */
async function front(t: Test, ...answers: readonly ((response: ServerResponse) => void)[]): Promise<{ url: string; readonly timeouts: number[] }> {
  const timeouts: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    timeouts.push(Number(request.headers['kindgi-timeout-ms']));
    answers[Math.min(timeouts.length, answers.length) - 1]?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeouts };
}

const taken = (response: ServerResponse): void => void response.end(result);
const turnedAway = (headers: Record<string, string>, status = 503) => (response: ServerResponse): void => void response.writeHead(status, headers).end('{"error":"draining"}');

t.test('a 503 is sent again after its Retry-After, with the time that is left', async (t) => {
  const { url, timeouts } = await front(t, turnedAway({ 'retry-after': '1' }), turnedAway({ 'retry-after': new Date(Date.now() - 1000).toUTCString() }), taken);
  const startedAt = performance.now();
  t.match(await clientOf(t, { url }).invoke('echo', {}, ids, { timeoutMs: 60_000 }), { kind: 'result', output: 'at last' });
  t.ok(performance.now() - startedAt >= 1000 && timeouts.length === 3);
  const [first = 0, second = 0] = timeouts;
  t.ok(first - second >= 1000, 'the deadline runs on');
});

t.test('a 503 is not sent again too often, beyond the deadline, or without a Retry-After', async (t) => {
  const refused = { kind: 'refused', status: 503, message: /draining/ };
  const often = await front(t, turnedAway({ 'retry-after': '0' }));
  await t.rejects(clientOf(t, { url: often.url, maxRetries: 2 }).invoke('echo', {}, ids), refused);
  t.equal(often.timeouts.length, 3);
  const late = await front(t, turnedAway({ 'retry-after': '60' }));
  await t.rejects(clientOf(t, { url: late.url }).invoke('echo', {}, ids, { timeoutMs: 5000 }), refused);
  t.equal(late.timeouts.length, 1);
  const silent = await front(t, turnedAway({}));
  await t.rejects(clientOf(t, { url: silent.url }).invoke('echo', {}, ids), refused);
  t.equal(silent.timeouts.length, 1);
});

t.test('a signal ends the wait for a retry', async (t) => {
  const { url, timeouts } = await front(t, turnedAway({ 'retry-after': '60' }));
  const controller = new AbortController();
  const call = clientOf(t, { url }).invoke('echo', {}, ids, { signal: controller.signal });
  await until(() => timeouts.length === 1, 'the call');
  controller.abort(new Error('enough'));
  await t.rejects(call, { message: 'enough' });
});

t.test('nothing else is sent again', async (t) => {
  for (const answer of [turnedAway({ 'retry-after': '0' }, 500), turnedAway({ 'retry-after': '0' }, 429), turnedAway({ 'retry-after': '0' }, 502), (response: ServerResponse) => void response.destroy()]) {
    const { url, timeouts } = await front(t, answer);
    await t.rejects(clientOf(t, { url }).invoke('echo', {}, ids), PackServiceError);
    t.equal(timeouts.length, 1);
  }
});

t.test('what is no message of the protocol is an error', async (t) => {
  for (const text of ['', 'hello', '[]', '{"v":3,"kind":"result","output":1}', '{"v":2,"kind":"result"}', '{"v":2,"kind":"error"}', '{"v":2,"kind":"check-result","result":{}}', '{"v":2,"kind":"check-result","result":{"passed":true}}']) {
    const { url } = await front(t, (response) => void response.end(text));
    await t.rejects(clientOf(t, { url }).invoke('echo', {}, ids), { name: 'PackServiceError', kind: 'not-understood' }, text);
  }
});

t.test('a service that says nothing is given up a second after the deadline', async (t) => {
  const { url } = await front(t, () => {});
  t.match(await clientOf(t, { url }).invoke('echo', {}, ids, { timeoutMs: 1 }), { kind: 'error', code: 'deadline-exceeded' });
});
