import t from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { startFilesService } from '../files-service.js';
import { ids, serve, toolCall, until } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';

const mail = { connectionId: 'c-1', app: 'mail', appName: 'Mail', account: { id: 'a-1', label: 'ann@example.com' }, accessToken: 'the-mail-token' };
const files = await startFilesService(t);
const waitToken = { id: 'wait-1', url: 'https://runtime.example/answers/1' };
const ctx = { ...ids, idempotencyKey: 'key-1', connections: { mail, calendar: { ...mail, app: 'calendar' } }, waitToken, toolFiles: { url: files.url, token: files.token } };
const needsSpec = { connections: { mail: {} } };

const parts = `
  import { inspect } from 'node:util';
  export const handler = (_input, ctx) => ({
    parts: ['connections', 'waitToken', 'toolFiles', 'pause', 'files', 'cancellation'].filter((part) => part in ctx),
    names: Object.keys(ctx.connections ?? {}),
    tokenRead: ctx.connections?.mail?.accessToken,
    shown: inspect(ctx, { depth: 9 }) + JSON.stringify(ctx) + JSON.stringify({ ...ctx }),
  });`;

const throwing = `
  import { ConnectionRejected } from 'packhost/sdk';
  export const handler = ({ wrapped }, ctx) => {
    const rejected = new ConnectionRejected('mail', 'The app says: token expired.');
    throw wrapped ? new Error('could not read the mail', { cause: rejected }) : rejected;
  };`;

const pausing = `
  import { pause } from 'packhost/sdk';
  export const handler = ({ how, timeoutMs }, ctx) => {
    switch (how) {
      case 'pause': return ctx.waitToken.url.startsWith('https://') && ctx.pause({ timeoutMs, name: 'approval' });
      case 'imported': return pause();
      case 'plain': return { answered: true };
    }
  };`;

const storing = `
  export const handler = async ({ texts = [], read, bytes }, ctx) => ({
    stored: await Promise.all(texts.map((text) => ctx.files.store({ name: text + '.txt', contentType: 'text/plain', data: Buffer.from(text) }))),
    large: bytes && await ctx.files.store({ name: 'large', contentType: 'text/plain', data: new Uint8Array(bytes) }),
    read: read && await ctx.files.read(read).then(({ data, notRead }) => notRead ?? Buffer.from(data).toString()),
  });`;

const sdk = `
  import { guardrail, tool } from 'packhost/sdk';
  import { z } from 'zod';
  export const said = tool({
    id: 'acme.said', description: 'Reports its context.', input: true, output: true,
    handler: (_input, ctx) => ({ env: ctx.env, config: ctx.config, settings: ctx.settings, cancelled: ctx.cancellation.cancelled, keys: Object.keys(ctx).sort() }),
  });
  export const parses = tool({
    id: 'acme.parses', description: 'Reports its input.', output: true,
    input: z.object({ year: z.string().transform(Number), era: z.string().default('ad') }).refine(({ year }) => year > 0, 'must be a year'),
    handler: (input) => input,
  });
  export const waits = tool({
    id: 'acme.waits', description: 'Waits for its end.', input: true, output: true,
    handler: async (_input, ctx) => { const reason = await ctx.cancellation.wait(); ctx.log.info({ reason }, 'ended'); return null; },
  });
  export const short = guardrail({ id: 'acme.short', checkId: 'acme.checks.short', onViolation: 'halt', check: (_config, trace) => trace.toolCalls.length === 0 && trace.output.length < 3 });
`;

const reaching = `
  export const handler = async ({ url, read }, ctx) => {
    const { data } = await ctx.files.read(read);
    const refused = await fetch(url).then(() => 'reached', (error) => error.cause?.name);
    return { read: Buffer.from(data).toString(), refused };
  };`;

const recognising = `
  import { FileStore, FileStoreError, PauseNotAvailable, ToolConnection } from 'packhost/sdk';
  const thrownBy = async (work) => { try { await work(); } catch (error) { return error; } };
  export const handler = async (_input, ctx) => ({
    connection: ctx.connections.mail instanceof ToolConnection,
    files: ctx.files instanceof FileStore,
    fileStoreError: await thrownBy(() => ctx.files.read('f1')) instanceof FileStoreError,
    pauseNotAvailable: await thrownBy(() => ctx.pause()) instanceof PauseNotAvailable,
  });`;

const pack = temporaryPack(t, indexOf({
  tools: [
    toolEntry('recognises', 'recognising.mjs', { needsSpec, pauses: true, storesFiles: true }),
    toolEntry('plain', 'parts.mjs'),
    toolEntry('connected', 'parts.mjs', { needsSpec }),
    toolEntry('everything', 'parts.mjs', { needsSpec, pauses: true, readsFiles: true }),
    toolEntry('rejected', 'throwing.mjs', { needsSpec }),
    toolEntry('rejected-undeclared', 'throwing.mjs'),
    toolEntry('pauses', 'pausing.mjs', { pauses: true, output: { type: 'object', required: ['answered'] } }),
    toolEntry('pauses-undeclared', 'pausing.mjs'),
    toolEntry('stores', 'storing.mjs', { storesFiles: true }),
    toolEntry('reads', 'storing.mjs', { readsFiles: true }),
    toolEntry('reads-offline', 'reaching.mjs', { readsFiles: true, network: { kind: 'none' } }),
    toolEntry('acme.said', 'sdk.mjs', { output: true }),
    toolEntry('acme.parses', 'sdk.mjs', { output: true }),
    toolEntry('acme.waits', 'sdk.mjs', { output: true }),
  ],
  guardrails: [guardrailEntry('acme.short', 'sdk.mjs', { checkId: 'acme.checks.short' })],
}), { 'parts.mjs': parts, 'throwing.mjs': throwing, 'pausing.mjs': pausing, 'storing.mjs': storing, 'sdk.mjs': sdk, 'reaching.mjs': reaching, 'recognising.mjs': recognising });
const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '2'] });
const call = (id: string, input: unknown = {}, context: unknown = ctx) => service.invoke(toolCall(id, input, { ctx: context }));

t.test('a context has what its tool declares, and nothing of what else was sent', async (t) => {
  t.match(outputOf(await call('plain')), { parts: [], names: [] });
  t.match(outputOf(await call('connected')), { parts: ['connections'], names: ['mail'] });
  t.match(outputOf(await call('everything')), { parts: ['connections', 'waitToken', 'pause', 'files'], names: ['mail'] });
  t.match(outputOf(await call('connected', {}, ids)), { parts: ['connections'], names: [] }, 'a runtime without connections gives none');
});

t.test('no token and no link shows, however a context is shown', async (t) => {
  const { tokenRead, shown } = outputOf(await call('everything'));
  t.equal(tokenRead, 'the-mail-token');
  t.notMatch(shown, /the-mail-token/);
  t.notMatch(shown, new RegExp(files.token));
  t.notMatch(shown, /runtime\.example/);
  t.match(shown, 'ann@example.com');
});

t.test('a connection that an app rejects is named, also as the cause of another error', async (t) => {
  const { cause, toolId } = failsWith(t, await call('rejected'), 'connection-rejected');
  t.equal(toolId, 'rejected');
  t.match(cause, { name: 'ConnectionRejected', connection: 'mail', message: 'The app says: token expired.' });
  const wrapped = failsWith(t, await call('rejected', { wrapped: true }), 'connection-rejected');
  t.match(wrapped.cause, { message: 'could not read the mail', cause: { name: 'ConnectionRejected', connection: 'mail' } });
  failsWith(t, await call('rejected-undeclared'), 'handler-throw', 'a tool without connections has none to reject');
});

t.test('what a context holds and throws is of the classes that a pack imports', async (t) => {
  const held = outputOf(await call('recognises', {}, { ...ctx, waitToken: undefined }));
  t.strictSame(held, { connection: true, files: true, fileStoreError: true, pauseNotAvailable: true });
});

t.test('a pausing tool pauses, or answers, or says that it cannot', async (t) => {
  t.strictSame((await call('pauses', { how: 'pause', timeoutMs: 5000 })).body, { v: 2, kind: 'pause', timeoutMs: 5000, name: 'approval' });
  t.strictSame((await call('pauses', { how: 'imported' })).body, { v: 2, kind: 'pause' });
  t.strictSame(outputOf(await call('pauses', { how: 'plain' }, ids)), { answered: true });
  for (const how of ['pause', 'imported']) failsWith(t, await call('pauses', { how }, ids), 'pause-not-available', how);
  t.match(failsWith(t, await call('pauses', { how: 'pause', timeoutMs: 0 }), 'handler-throw').cause, { name: 'RangeError' });
  failsWith(t, await call('pauses-undeclared', { how: 'pause' }), 'handler-throw', 'there is nothing to pause with');
});

t.test('files are stored once each, with their names and types', async (t) => {
  files.clear();
  const { stored } = outputOf(await call('stores', { texts: ['é', 'b', 'é'] }));
  const [first, second, again] = stored as unknown[];
  t.strictSame(again, first, 'the same bytes again are the first file');
  t.strictSame(new Set([first, second].map((answer) => JSON.stringify(answer))), new Set(['{"file":{"artifactId":"f1"}}', '{"file":{"artifactId":"f2"}}']));
  t.strictSame(files.stored.map(({ name, contentType, bytes }) => [name, contentType, bytes.toString()]).sort(), [['b.txt', 'text/plain', 'b'], ['é.txt', 'text/plain', 'é']]);
  t.strictSame(outputOf(await call('stores', { texts: ['refused'] })), { stored: [{ notStored: 'wrong-type' }] });
});

t.test('what the files of a call cannot do is a FileStoreError', async (t) => {
  const fails = async (id: string, input: unknown, says: string | RegExp, context: unknown = ctx): Promise<void> => {
    const { cause } = failsWith(t, await call(id, input, context), 'handler-throw', String(says));
    t.match(cause, { name: 'FileStoreError', message: says });
    t.notMatch(JSON.stringify(cause), new RegExp(files.token));
  };
  await fails('stores', { texts: Array.from({ length: 11 }, (_, at) => `text ${at}`) }, '10 files');
  await fails('stores', { bytes: 10_000_001 }, '10000000');
  await fails('stores', { texts: ['a'] }, 'idempotency key', { ...ctx, idempotencyKey: undefined });
  await fails('stores', { texts: ['a'] }, 'no files', { ...ctx, toolFiles: undefined });
  await fails('stores', { read: 'f1' }, 'readsFiles');
  await fails('reads', { texts: ['a'] }, 'storesFiles');
  await fails('reads', { read: 'f1' }, '401', { ...ctx, toolFiles: { url: files.url, token: 'another' } });
  await fails('reads', { read: 'f1' }, 'ECONNREFUSED', { ...ctx, toolFiles: { url: 'http://127.0.0.1:2/', token: files.token } });
  await fails('reads', { read: 'f1' }, 'reached', { ...ctx, toolFiles: { url: files.url, token: `${files.token}\u0001` } });
});

t.test('a file is read as it was stored, or there is a reason why not', async (t) => {
  files.clear();
  outputOf(await call('stores', { texts: ['the text'] }));
  t.match(outputOf(await call('reads', { read: 'f1' })), { read: 'the text' });
  t.match(outputOf(await call('reads', { read: '../nowhere' })), { read: 'not-found' });
});

t.test('a tool without network still reads its files, and reaches nothing else', async (t) => {
  files.clear();
  outputOf(await call('stores', { texts: ['offline'] }));
  t.strictSame(outputOf(await call('reads-offline', { read: 'f1', url: `${files.url}/f1` })), { read: 'offline', refused: 'NetworkDenied' });
});

t.test('a tool of the SDK finds no gaps in its context, and its cancellation', async (t) => {
  t.strictSame(outputOf(await call('acme.said', {}, ids)), { env: {}, config: {}, settings: {}, cancelled: false, keys: ['abortSignal', 'runId', 'tenantId'] });
  t.match(outputOf(await call('acme.said', {}, { ...ids, env: { A: '1' } })), { env: { A: '1' }, keys: ['abortSignal', 'env', 'runId', 'tenantId'] });
  failsWith(t, await service.invoke(toolCall('acme.waits'), { 'kindgi-timeout-ms': '50' }), 'deadline-exceeded');
  t.match(await until(() => service.records.find((record) => record['message'] === 'ended'), 'its record'), { reason: 'deadline-exceeded', toolId: 'acme.waits' });
});

t.test('a tool that was declared with Zod gets its input parsed by it', async (t) => {
  t.strictSame(outputOf(await call('acme.parses', { year: '5' })), { year: 5, era: 'ad' });
  t.match(failsWith(t, await call('acme.parses', { year: '0' }), 'input-validation-failed').issues, [{ message: 'must be a year' }]);
});

t.test('a check of the SDK answers true and false, and gets a trace with its lists', async (t) => {
  const verdict = async (output: string): Promise<unknown> => (await service.invoke({ v: 2, kind: 'check-invoke', check: { id: 'acme.checks.short' }, config: {}, trace: { ...ids, output } })).body;
  t.strictSame(await verdict('ab'), { v: 2, kind: 'check-result', result: { passed: true } });
  t.strictSame(await verdict('abcd'), { v: 2, kind: 'check-result', result: { passed: false } });
});
