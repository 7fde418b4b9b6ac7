/** The doors of the network: what a policy refuses, what it lets through, and how clients take a refusal. */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { outputOf } from '../answers.js';
import { type AnswerBody, type HttpAnswer, checkCall, serve, toolCall, until } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';
import { httpPeer, postgresPeer, redisPeer, unixPeer } from './peers.js';

t.setTimeout(180_000);

const connections = ['fetch', 'http.get', 'http.request of a required http', 'https.get', 'http2.connect', 'net.connect', 'net.connect with options', 'net.createConnection', 'new net.Socket',
  'tls.connect', 'undici', 'WebSocket', 'dgram.send', 'dgram.connect'];
const lookups = ['dns.lookup', 'dns.promises.lookup', 'dns.resolve', 'dns.resolve4', 'dns.resolveTxt', 'dns.promises.resolve', 'dns.promises.resolveMx', 'dns.Resolver', 'dns.promises.Resolver', 'a required dns/promises'];
const waysAround = ['spawn', 'exec', 'execFile', 'fork', 'spawnSync', 'execSync', 'execFileSync', 'a thread of its own', 'a thread from a required module', 'a Unix socket', 'a Unix socket by options', 'http over a Unix socket'];

const [peer, other, postgres, redis, path] = await Promise.all([httpPeer(t), httpPeer(t), postgresPeer(t), redisPeer(t), unixPeer(t)]);
const hasIpv6 = Object.values(networkInterfaces()).flat().some((address) => address?.address === '::1');
const peer6 = hasIpv6 ? await httpPeer(t, '::1') : undefined;

const policies = {
  'cut-off': { kind: 'none' },
  listed: {
    kind: 'allowlist',
    hosts: [`127.0.0.1:${peer.port}`, 'localhost', `[::1]:${peer6?.port ?? 1}`, 'api.example.invalid', '*.wide.invalid', 'ported.invalid:8443', '2001:db8::1'],
  },
  free: { kind: 'unrestricted' },
  unsaid: undefined,
} as const;
const clients = ['undici', 'axios', 'got', 'pg', 'ioredis'];
const index = indexOf({
  tools: [
    ...Object.entries(policies).map(([id, network]) => toolEntry(id, 'reach.mjs', network ? { network } : {})),
    toolEntry('clients-allowed', 'clients.mjs', { network: { kind: 'allowlist', hosts: ['127.0.0.1'] } }),
    toolEntry('clients-refused', 'clients.mjs', { network: { kind: 'allowlist', hosts: ['api.example.invalid'] } }),
  ],
  guardrails: [guardrailEntry('cut-off-check', 'reach.mjs', { network: { kind: 'none' } })],
});
const service = await serve(t, { pack: 'reaches-out', index: join(temporaryPack(t, index), 'index.json'), args: ['--min-threads', '1', '--max-threads', '8'] });
const reach = (id: string, way: string, host = '127.0.0.1', port: number | undefined = peer.port): Promise<HttpAnswer> => service.invoke(toolCall(id, { way, host, port, path }), { 'kindgi-timeout-ms': '60000' });

/** The messages of what was thrown, those within too: fetch wraps the reason. The refusal's, where there is one, comes first. */
function refusalIn({ cause }: AnswerBody): string | undefined {
  const search = (at: unknown): string | undefined => {
    const { name, message, cause: inner, errors = [] } = (at ?? {}) as { name?: string; message?: string; cause?: unknown; errors?: unknown[] };
    if (name === 'NetworkDenied') return message;
    return [inner, ...errors].map((each) => (each === undefined ? undefined : search(each))).find((found) => found !== undefined);
  };
  return search(cause);
}

const isRefused = ({ body }: HttpAnswer): boolean => body.code === 'handler-throw' && refusalIn(body) !== undefined;
/** It reached its target, or failed as it would without any policy. */
const isLetThrough = ({ body }: HttpAnswer): boolean => body.kind === 'result' || (body.code === 'handler-throw' && refusalIn(body) === undefined);

t.test('under none every connection and lookup is refused with an error that names the host and the tool', async (t) => {
  const before = peer.arrived();
  for (const way of connections) {
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      // WebSocket says that it failed, and no client of its could say why.
      const answer = await reach('cut-off', way, host);
      const text = refusalIn(answer.body) ?? (way === 'WebSocket' ? `${host} cut-off` : answer.text);
      t.ok(text.includes(host) && text.includes('cut-off') && answer.body.code === 'handler-throw', `${way} to ${host}: ${text.slice(0, 300)}`);
    }
  }
  for (const way of lookups) {
    const answer = await reach('cut-off', way, 'api.example.invalid');
    const text = refusalIn(answer.body) ?? answer.text;
    t.ok(isRefused(answer) && text.includes('api.example.invalid') && text.includes('cut-off'), `${way}: ${text.slice(0, 300)}`);
  }
  const check = await service.invoke(checkCall('cut-off-check', { host: '127.0.0.1', port: peer.port }));
  t.match(refusalIn(check.body), /cut-off-check.*127\.0\.0\.1/, 'a check, too');
  t.equal(peer.arrived(), before, 'nothing arrived');
});

t.test('where the network is restricted no process, nested thread or Unix socket is a way around', async (t) => {
  for (const id of ['cut-off', 'listed']) {
    for (const way of waysAround) {
      const answer = await reach(id, way);
      t.ok(isRefused(answer) && refusalIn(answer.body)?.includes(id), `${id}, ${way}: ${answer.text.slice(0, 300)}`);
    }
  }
  for (const way of waysAround.filter((each) => each !== 'fork')) t.match(outputOf(await reach('free', way)), { reached: true }, `without a policy: ${way}`);
});

t.test('an allowlist lets its hosts through at every door, at their port alone', async (t) => {
  for (const way of connections) {
    const before = peer.arrived();
    const allowed = await reach('listed', way);
    t.ok(isLetThrough(allowed), `${way}: ${allowed.text.slice(0, 300)}`);
    // The kernel takes a connection before the peer hears of it, and the answer may come in between.
    await until(() => peer.arrived() > before, `${way} to arrive`);
  }
  const before = other.arrived();
  for (const way of connections.filter((each) => each !== 'WebSocket')) t.ok(isRefused(await reach('listed', way, '127.0.0.1', other.port)), `${way}, at another port`);
  t.equal(other.arrived(), before, 'nothing arrived there');
  for (const way of lookups) {
    t.ok(isLetThrough(await reach('listed', way, 'api.example.invalid')), `${way} of a listed name`);
    t.ok(isRefused(await reach('listed', way, 'www.example.invalid')), `${way} of another`);
  }
  t.match(outputOf(await reach('listed', 'fetch', 'localhost', other.port)), { reached: true }, 'a name without a port means every port');
});

t.test('patterns take names below theirs and nothing beside it, in any case', async (t) => {
  /** These names resolve nowhere: an error that is no refusal means that the host was let through. */
  const expected: readonly (readonly [host: string, port: number, allowed: boolean])[] = [
    ['api.example.invalid', 443, true], ['API.Example.Invalid', 443, true], ['api.example.invalid.', 443, true], ['www.example.invalid', 443, false], ['example.invalid', 443, false],
    ['api.example.invalid.evil.invalid', 443, false], ['xapi.example.invalid', 443, false], ['a.wide.invalid', 443, true], ['a.b.wide.invalid', 443, true], ['wide.invalid', 443, false],
    ['notwide.invalid', 443, false], ['wide.invalid.evil.invalid', 443, false], ['ported.invalid', 8443, true], ['ported.invalid', 443, false], ['0.0.0.0', peer.port, false], ['127.1', peer.port, false], ['2001:db8::2', 443, false],
  ];
  for (const [host, port, allowed] of expected) {
    const answer = await reach('listed', 'net.connect', host, port);
    t.equal(isLetThrough(answer), allowed, `${host}:${port}`);
    t.equal(isRefused(answer), !allowed, `${host}:${port}`);
  }
});

t.test('IPv6 addresses are listed with or without brackets', { skip: hasIpv6 ? false : 'this machine has no ::1' }, async (t) => {
  for (const way of ['fetch', 'net.connect', 'http.get', 'dgram.send']) t.match(outputOf(await reach('listed', way, '::1', peer6?.port)), { reached: true }, way);
  t.ok(isRefused(await reach('listed', 'fetch', '::1', peer.port)), 'at another port');
});

t.test("one tool's policy is not another's, at the same time", async (t) => {
  for (let round = 0; round < 3; round++) {
    const [free, held, unsaid] = await Promise.all([reach('free', 'fetch'), reach('cut-off', 'fetch'), reach('unsaid', 'fetch')]);
    t.match(outputOf(free), { reached: true });
    t.ok(isRefused(held));
    t.match(outputOf(unsaid), { reached: true }, 'a tool that says nothing is not restricted');
  }
});

t.test('undici, axios, got, pg and ioredis work through an allowlist', async (t) => {
  for (const client of clients) {
    const { port } = client === 'pg' ? postgres : client === 'ioredis' ? redis : peer;
    t.strictSame(outputOf(await service.invoke(toolCall('clients-allowed', { client, host: '127.0.0.1', port }))), { said: 'hello' }, client);
  }
});

t.test('undici, axios, got, pg and ioredis are stopped by an allowlist with a rejection, and keep their thread', async (t) => {
  const arrived = (): number => [peer, postgres, redis].reduce((sum, each) => sum + each.arrived(), 0);
  const before = arrived();
  for (const client of clients) {
    const { port } = client === 'pg' ? postgres : client === 'ioredis' ? redis : peer;
    const { body, text } = await service.invoke(toolCall('clients-refused', { client, host: '127.0.0.1', port }), { 'kindgi-timeout-ms': '30000' });
    t.match(body, { kind: 'error', code: 'handler-throw' }, `${client}: ${text.slice(0, 300)}`);
    t.comment(`${client}: ${String(body.message)}`);
  }
  t.equal(arrived(), before, 'nothing arrived');
  t.equal(service.record('thread-ended', ({ toolId }) => toolId === 'clients-refused'), undefined, 'no thread was lost');
});
