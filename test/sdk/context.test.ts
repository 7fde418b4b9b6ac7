import { inspect } from 'node:util';
import t from 'tap';
import { CallCancelled, Cancellation, ConnectionRejected, contextForTest, MAX_PAUSE_TIMEOUT_MS, pause, PauseNotAvailable, SchemaMismatch, tool, ToolConnection } from '../../src/sdk/index.js';

const facts = { id: 'acme.any', description: 'Does something.', input: true, output: true, handler: () => null } as const;
const mail = { connectionId: 'c-1', app: 'mail', appName: 'Mail', account: { id: 'a-1', label: 'ann@example.com' }, accessToken: 'the-token', expiresAt: '2026-01-01T00:00:00.000Z' };

t.test('a context for a test has ids of its own, and what the test gives', async (t) => {
  const ctx = contextForTest({ config: { mode: 'fast' }, secrets: { KEY: 'hidden-value' }, idempotencyKey: 'key-1' });
  t.match(ctx, { tenantId: 'tenant-test', runId: 'run-test', config: { mode: 'fast' }, env: {}, settings: {}, idempotencyKey: 'key-1' });
  t.equal(ctx.secrets['KEY'], 'hidden-value');
  t.notMatch(inspect(ctx) + JSON.stringify({ ...ctx }), /hidden-value/);
  t.doesNotThrow(() => ctx.log.child({ a: 1 }).info('nothing is written'));
});

t.test('env is filled in and checked as the tool declares it', async (t) => {
  const env = { REGION: { type: 'string', enum: ['eu', 'us'], default: 'eu' }, HOST: { type: 'string', minLength: 3, pattern: '^[a-z.]+$' } } as const;
  const declared = tool({ ...facts, needsSpec: { env } });
  t.strictSame(contextForTest({ tool: declared, env: { HOST: 'example.com', OTHER: 'dropped' } }).env, { REGION: 'eu', HOST: 'example.com' });
  for (const wrong of [{}, { HOST: 'ab' }, { HOST: 'A.B.C' }, { HOST: 5 }, { HOST: 'example.com', REGION: 'mars' }]) {
    t.throws(() => contextForTest({ tool: declared, env: wrong }), SchemaMismatch, JSON.stringify(wrong));
  }
});

t.test('a context has nothing that its tool did not declare', async (t) => {
  const ctx = contextForTest({ tool: tool(facts), connections: { mail }, waitToken: { id: 'w', url: 'https://example.com' }, files: {} });
  for (const part of ['connections', 'waitToken', 'pause', 'files']) t.notOk(part in ctx, part);
  const some = contextForTest({ tool: tool({ ...facts, readsFiles: true, needsSpec: { connections: { mail: {} } } }), connections: { mail, other: mail }, files: { store: async () => ({ file: {} }), read: async () => ({ notRead: 'gone' }) } });
  t.strictSame(Object.keys(some.connections), ['mail']);
  t.notOk('store' in some.files);
  t.strictSame(await some.files.read('a'), { notRead: 'gone' });
});

t.test('a connection shows everything but its token, however it is shown', async (t) => {
  const ctx = contextForTest({ connections: { mail } });
  const { mail: connection } = ctx.connections;
  t.equal(connection?.accessToken, 'the-token');
  t.match(connection, { app: 'mail', account: { label: 'ann@example.com' }, expiresAt: mail.expiresAt });
  const shown = [inspect(ctx, { depth: 9, showHidden: true, getters: true }), JSON.stringify(ctx), JSON.stringify({ ...connection }), inspect(structuredClone({ ...connection })), Object.values(connection ?? {}).join()];
  t.notMatch(shown.join('\n'), /the-token/);
  t.match(shown[1], 'ann@example.com');
});

t.test('what is no connection is none', async (t) => {
  for (const value of [undefined, null, 'mail', {}, { ...mail, accessToken: 5 }, { ...mail, account: 'ann' }]) t.equal(ToolConnection.fromWire(value), undefined);
  t.notOk('name' in (ToolConnection.fromWire(mail) ?? {}));
});

t.test('a rejected connection is named', async (t) => {
  const error = new ConnectionRejected('mail');
  t.match(error, { name: 'ConnectionRejected', connection: 'mail' });
  t.match(error.message, 'mail');
});

t.test('a pause has its bounds, and needs a wait token', async (t) => {
  const waitToken = { id: 'w-1', url: 'https://example.com/answer' };
  const ctx = contextForTest({ waitToken });
  t.strictSame(ctx.waitToken, waitToken);
  t.notMatch(inspect(ctx, { getters: true }) + JSON.stringify(ctx), /example\.com/);
  t.strictSame(ctx.pause({ timeoutMs: MAX_PAUSE_TIMEOUT_MS, name: 'approval' }), pause({ timeoutMs: MAX_PAUSE_TIMEOUT_MS, name: 'approval' }));
  t.strictSame(JSON.stringify(ctx.pause()), '{}');
  for (const timeoutMs of [0, -1, 1.5, NaN, MAX_PAUSE_TIMEOUT_MS + 1]) t.throws(() => ctx.pause({ timeoutMs }), RangeError, String(timeoutMs));
  t.throws(() => ctx.pause({ name: '' }), TypeError);
  const without = contextForTest();
  t.throws(() => without.waitToken, PauseNotAvailable);
  t.throws(() => without.pause(), PauseNotAvailable);
});

t.test('a cancellation fires once, for the signal, for who asks and for who waits', async (t) => {
  const cancellation = new Cancellation();
  const ctx = contextForTest({ cancellation });
  t.equal(ctx.cancellation, cancellation);
  t.strictSame([cancellation.cancelled, cancellation.reason], [false, undefined]);
  t.doesNotThrow(() => ctx.cancellation.throwIfCancelled());
  t.equal(await cancellation.wait(1), undefined, 'the time passed first');
  const waiting = cancellation.wait();
  cancellation.cancel('deadline-exceeded');
  cancellation.cancel('cancelled');
  t.strictSame([await waiting, await cancellation.wait(60_000), cancellation.reason, cancellation.cancelled], ['deadline-exceeded', 'deadline-exceeded', 'deadline-exceeded', true]);
  t.throws(() => ctx.cancellation.throwIfCancelled(), CallCancelled);
  t.ok(ctx.abortSignal.aborted);
  t.match(ctx.abortSignal.reason, { name: 'CallCancelled', reason: 'deadline-exceeded' });
});
