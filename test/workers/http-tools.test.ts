import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { ids, serve, toolCall } from '../running-service.js';
import { indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const seen: Seen[] = [];
/** An app that answers with what it was asked, or as the path says. */
const app = createServer((request, response) => {
  void text(request).then((body) => {
    const { method, url = '', headers } = request;
    seen.push({ method, url, headers, body });
    const json = (status: number, value: unknown): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (url.startsWith('/missing')) return json(404, { error: 'no such order', authorization: headers.authorization });
    if (url.startsWith('/redirect')) return void response.writeHead(302, { location: '/elsewhere' }).end();
    if (url.startsWith('/empty')) return void response.writeHead(204).end();
    if (url.startsWith('/text')) return void response.end(`not JSON, ${headers.authorization}`);
    if (url.startsWith('/large')) return void response.end(Buffer.alloc(11 * 1024 * 1024, ' '));
    if (url.startsWith('/never')) return;
    // Escaped as no redaction of the text alone would find it.
    if (url.startsWith('/escaped')) return void response.end(`{"token":"${[...(headers.authorization ?? '')].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`);
    return json(200, { method, url, body, authorization: headers.authorization, custom: headers['x-custom'], type: headers['content-type'] });
  });
});
app.listen(0, '127.0.0.1');
await once(app, 'listening');
t.teardown(() => app.close().closeAllConnections());
const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;

const secret = 'the-secret/value=1';
const authorization = { kind: 'bearer', secretRef: { envName: 'local', name: 'APP_TOKEN' } };
const http = (id: string, path: string, spec: object = {}, more: object = {}): Record<string, unknown> =>
  toolEntry(id, 'not/there.mjs', { output: true, spec: { kind: 'http', method: 'GET', urlTemplate: `${origin}${path}`, ...spec }, ...more });

const pack = temporaryPack(t, indexOf({
  tools: [
    http('get', '/orders/{id}?note={note}', { headers: { 'x-custom': 'mine' }, authorization }),
    http('post', '/orders', { method: 'POST', requestBody: { kind: 'json-input' } }),
    http('form', '/orders', { method: 'PUT', requestBody: { kind: 'text', template: 'note={note}', contentType: 'application/x-www-form-urlencoded' } }),
    http('missing', '/missing', { authorization }),
    http('redirect', '/redirect', { authorization }),
    http('accepts-redirect', '/redirect', { successStatus: [200, 399], parseJson: false }),
    http('empty', '/empty'),
    http('text', '/text', { authorization, parseJson: false }),
    http('no-json', '/text', { authorization }),
    http('escaped', '/escaped', { authorization }),
    http('large', '/large'),
    http('slow', '/never', { timeoutMs: 50 }),
    http('never', '/never'),
    http('refused', '/', {}, { network: { kind: 'allowlist', hosts: ['api.example.com'] } }),
    http('typed', '/orders', {}, { output: { type: 'object', required: ['total'] } }),
    { ...http('gone', '/'), spec: { kind: 'http', method: 'GET', urlTemplate: 'http://127.0.0.1:2/' } },
  ],
}));
const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '2'] });
const call = (id: string, input: unknown = {}, secrets: unknown = { APP_TOKEN: secret }) => service.invoke(toolCall(id, input, { ctx: { ...ids, secrets } }));
const fails = async (name: string, id: string, input: unknown = {}, secrets: unknown = { APP_TOKEN: secret }): Promise<string> => {
  const answer = await call(id, input, secrets);
  t.equal(failsWith(t, answer, 'handler-throw', `${id}: ${name}`).cause?.['name'], name);
  t.notMatch(answer.text, secret);
  return String(answer.body.message);
};

t.test('a request is made of the input, URL-encoded, with its headers and its secret', async (t) => {
  const output = outputOf(await call('get', { id: 'a/b ?&#é', note: 5 }));
  t.match(output, { method: 'GET', url: '/orders/a%2Fb%20%3F%26%23%C3%A9?note=5', custom: 'mine', body: '' });
  t.equal(seen.at(-1)?.headers.authorization, `Bearer ${secret}`);
  t.equal(output['authorization'], 'Bearer [secret]', 'a server that sends the secret back does not bring it into the result');
});

t.test('a body is the input as JSON, or text with its fields in place', async (t) => {
  t.match(outputOf(await call('post', { a: [1, 'é'] })), { method: 'POST', type: 'application/json', body: '{"a":[1,"é"]}' });
  t.match(outputOf(await call('form', { note: 'a b&c' })), { method: 'PUT', type: 'application/x-www-form-urlencoded', body: 'note=a%20b%26c' });
});

t.test('a placeholder that cannot be filled is an error of that name, and no request goes out', async (t) => {
  const before = seen.length;
  await fails('PlaceholderMissing', 'get', { id: 'a' });
  await fails('PlaceholderMissing', 'get', { id: null, note: 'x' });
  await fails('PlaceholderInvalid', 'get', { id: { a: 1 }, note: 'x' });
  await fails('PlaceholderInvalid', 'get', { id: ['a'], note: 'x' });
  await fails('PlaceholderInvalid', 'get', { id: '..', note: 'x' });
  await fails('PlaceholderInvalid', 'get', { id: '\ud800', note: 'x' });
  await fails('PlaceholderMissing', 'get', JSON.parse('{"note":"x"}'));
  t.equal(seen.length, before);
});

t.test('a secret that is missing or no header can carry is an error of that name', async () => {
  await fails('SecretMissing', 'get', { id: 'a', note: 'b' }, {});
  await fails('SecretMissing', 'get', { id: 'a', note: 'b' }, null);
  await fails('SecretInvalid', 'get', { id: 'a', note: 'b' }, { APP_TOKEN: `${secret}\n` });
});

t.test('a status outside of the range is an error that says what the app said, without the secret', async (t) => {
  t.match(await fails('HttpStatus', 'missing'), /404.*no such order/);
  t.match(await fails('HttpStatus', 'redirect'), /302/);
  t.notMatch(seen.at(-1)?.url, 'elsewhere', 'a redirect is not followed');
  t.equal((await call('accepts-redirect')).body.output, '');
});

t.test('an answer is JSON, or text where the tool says so', async (t) => {
  t.equal((await call('empty')).body.output, null);
  t.equal((await call('text')).body.output, 'not JSON, Bearer [secret]');
  t.strictSame(outputOf(await call('escaped')), { token: 'Bearer [secret]' });
  await fails('HttpBodyInvalid', 'no-json');
  await fails('HttpBodyTooLarge', 'large');
  failsWith(t, await call('typed'), 'output-validation-failed');
});

t.test('a request that takes too long, or cannot be made, is an error that says so', async (t) => {
  await fails('HttpTimeout', 'slow');
  t.match(await fails('HttpRequestFailed', 'gone'), 'ECONNREFUSED');
  const { cause, message } = failsWith(t, await call('refused'), 'handler-throw');
  t.match(cause, { name: 'HttpRequestFailed', cause: { name: 'NetworkDenied' } }, 'the network policy holds');
  t.match(message, /127\.0\.0\.1.*api\.example\.com/, 'the error names the host, and what is allowed');
  failsWith(t, await service.invoke(toolCall('never'), { 'kindgi-timeout-ms': '100' }), 'deadline-exceeded');
});

t.test('the secret is in no record', async (t) => {
  t.notMatch(service.stderr.join('\n'), secret);
});

t.test('a spec that is no request fails the boot by the names of tool and field', async (t) => {
  const broken = temporaryPack(t, indexOf({ tools: [http('acme.odd', '/', { method: 'FETCH', successStatus: [300, 200] })] }));
  const problems = await problemsOf(t, 'boot-failed', { pack: broken });
  t.equal(problems.length, 2);
  for (const field of ['method', 'successStatus']) problemNaming(t, problems, '"acme.odd"', field);
});
