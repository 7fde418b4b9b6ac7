/** The journal takes calls off their way, says what it has lost, and holds no secret. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import t, { type Test } from 'tap';
import type { LogEntry } from '../../src/memory/index.js';
import { Journal, type JournalOptions, type JournalState } from '../../src/memory/journal/journal.js';
import type { JournalledCall } from '../../src/memory/journal/messages.js';
import { cannotLimit, runWithoutThreads } from '../limited-process.js';
import { until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { all, memoryAt, onEachEngine } from './engines.js';
import { noPostgres, PostgresServer } from './postgres-server.js';

const ids = { tenantId: 'acme', runId: 'run-1' };
const hash = (value: unknown): string => `sha256:${createHash('sha256').update(canonicalize(value) ?? '').digest('hex')}`;

function toolCall(input: unknown, answer: object, more: Partial<JournalledCall> = {}, ctx: object = {}): JournalledCall {
  return {
    target: 'tool', id: 'acme.greet', ...ids, outcome: 'ok', arrivedAt: 0, durationMs: 3, requestId: 'q-1', projectId: 'p-1',
    message: JSON.stringify({ v: 2, kind: 'invoke', tool: { id: 'acme.greet' }, input, ctx: { ...ids, ...ctx } }),
    answer: JSON.stringify({ v: 2, ...answer }), ...more,
  };
}

function checkCall(answer: object, outcome = 'ok'): JournalledCall {
  return { target: 'check', id: 'acme.polite', ...ids, outcome, arrivedAt: 0, durationMs: 1, message: JSON.stringify({ v: 2, kind: 'check-invoke', check: { id: 'acme.polite' }, trace: { ...ids, output: 'x' } }), answer: JSON.stringify({ v: 2, ...answer }) };
}

interface Opened {
  readonly journal: Journal;
  readonly states: JournalState[];
}

async function open(t: Test, url: string, more: Partial<JournalOptions> = {}): Promise<Opened> {
  const states: JournalState[] = [];
  const journal = await Journal.open({ url, payloads: 'hashes', onState: (state) => states.push(state), ...more });
  t.teardown(() => journal.close(0));
  return { journal, states };
}

async function entriesAt(t: Test, url: string): Promise<LogEntry[]> {
  const memory = await memoryAt(t, url);
  t.strictSame((await memory.log.verify('all-tenants')).breaks, []);
  return all(memory.log.read(ids));
}

onEachEngine('a call of a tool is journalled as call and result, by the hashes of what went in and out', async (t, engine) => {
  const url = await engine.url(t);
  const { journal, states } = await open(t, url);
  journal.record(toolCall({ name: 'Ada' }, { kind: 'result', output: { b: 1, a: 2 } }, {}, { userId: 'u-1', threadId: 't-1' }));
  journal.record(toolCall({ name: 'Eve' }, { kind: 'error', code: 'handler-throw', message: 'secret of the house' }, { outcome: 'handler-throw' }));
  t.strictSame(await journal.close(), { written: 2, lost: 0 });
  const entries = await entriesAt(t, url);
  t.match(entries, [
    { kind: 'tool-call', actor: 'acme.greet', scope: { tenantId: 'acme', projectId: 'p-1', userId: 'u-1', threadId: 't-1' }, payload: { toolId: 'acme.greet', requestId: 'q-1', arrivedAt: '1970-01-01T00:00:00.000Z', inputHash: hash({ name: 'Ada' }) } },
    { kind: 'tool-result', causedByLogId: entries[0]?.id, payload: { outcome: 'ok', durationMs: 3, outputHash: hash({ a: 2, b: 1 }) } },
    { kind: 'tool-call', payload: { inputHash: hash({ name: 'Eve' }) } },
    { kind: 'tool-result', causedByLogId: entries[2]?.id, payload: { outcome: 'handler-throw', errorHash: hash({ code: 'handler-throw', message: 'secret of the house' }) } },
  ]);
  t.notMatch(JSON.stringify(entries), /Ada|house/);
  t.strictSame(states, []);
});

onEachEngine('whole payloads hold no secret of the call, wherever pack code has put it', async (t, engine) => {
  const url = await engine.url(t);
  const { journal } = await open(t, url, { payloads: 'whole' });
  const ctx = { secrets: { API_KEY: 'key-123456', deep: { password: 'hunter2hunter2' } }, connections: { crm: { connectionId: 'c', accessToken: 'tok-abcdef', account: { id: 'account-1' } } }, toolFiles: { url: 'http://files', token: 'files-token' } };
  journal.record(toolCall({ url: 'http://x/?key=key-123456', 'tok-abcdef': 1 }, { kind: 'result', output: ['hunter2hunter2', { text: 'with tok-abcdef and files-token', account: 'account-1' }] }, {}, ctx));
  await journal.close();
  const entries = await entriesAt(t, url);
  t.match(entries, [{ payload: { input: { url: 'http://x/?key=[secret]', '[secret]': 1 } } }, { payload: { output: ['[secret]', { text: 'with [secret] and [secret]', account: 'account-1' }] } }]);
  for (const secret of ['key-123456', 'hunter2', 'tok-abcdef', 'files-token']) t.notMatch(JSON.stringify(entries), secret);
});

onEachEngine('a check that failed is journalled, one that passed is not', async (t, engine) => {
  const url = await engine.url(t);
  const { journal } = await open(t, url, { payloads: 'whole' });
  journal.record(checkCall({ kind: 'check-result', result: { passed: true } }));
  journal.record(checkCall({ kind: 'check-result', result: { passed: false, reason: 'rude' } }));
  journal.record(checkCall({ kind: 'error', code: 'deadline-exceeded', message: 'late' }, 'deadline-exceeded'));
  await journal.close();
  t.match(await entriesAt(t, url), [
    { kind: 'guardrail-triggered', actor: 'acme.polite', payload: { checkId: 'acme.polite', outcome: 'ok', result: { passed: false, reason: 'rude' } } },
    { kind: 'guardrail-triggered', payload: { outcome: 'deadline-exceeded', error: { code: 'deadline-exceeded' } } },
  ]);
});

t.test('bodies are kept by copy, and one that is too large only by its length', async (t) => {
  const url = `sqlite:${temporaryFolder(t)}/j.db`;
  const { journal } = await open(t, url, { payloads: 'whole', maxBytes: 1000 });
  const text = Buffer.from(JSON.stringify({ input: { name: 'Adä' }, ctx: {} }));
  const pieces = [new Uint8Array(text.subarray(0, 20)), new Uint8Array(text.subarray(20))];
  const message = journal.keep(pieces);
  for (const piece of pieces) piece.fill(0);
  journal.record(toolCall(0, {}, { message, answer: journal.keep(new Uint8Array(5000)) }));
  journal.record(toolCall({ name: 'b' }, {}, { message: 'no JSON', answer: '', outcome: 'malformed-message' }));
  t.strictSame(await journal.close(), { written: 2, lost: 0 });
  t.match((await entriesAt(t, url)).map(({ payload }) => payload), [{ input: { name: 'Adä' } }, { outputTooLarge: 5000 }, { toolId: 'acme.greet' }, { outcome: 'malformed-message' }]);
});

t.test('a call that is no record is counted as lost, and stops nothing', async (t) => {
  const url = `sqlite:${temporaryFolder(t)}/j.db`;
  const { journal } = await open(t, url);
  journal.record(toolCall(1, {}, { runId: 'a\0b' }));
  journal.record(toolCall(2, { kind: 'result', output: 2 }));
  // As deep as a body of ten megabytes can be.
  const deep = '['.repeat(4_000_000) + ']'.repeat(4_000_000);
  for (const input of [deep, '['.repeat(2000) + ']'.repeat(2000)]) journal.record(toolCall(0, { kind: 'result', output: 3 }, { message: `{"v":2,"input":${input},"ctx":{"secrets":{"a":"abcdefgh"}}}` }));
  t.strictSame(await journal.close(30_000), { written: 1, lost: 3 });
  t.equal((await entriesAt(t, url)).length, 2);
});

t.test('more calls than it can hold are dropped, counted and said, and it recovers', async (t) => {
  const url = `sqlite:${temporaryFolder(t)}/j.db`;
  const { journal, states } = await open(t, url, { maxCalls: 50 });
  const took = process.hrtime.bigint();
  for (let at = 0; at < 200; at++) journal.record(toolCall(at, { kind: 'result', output: at }));
  t.ok(process.hrtime.bigint() - took < 1_000_000_000n, 'none of them waited for the disk');
  t.equal(journal.dropped, 150);
  t.strictSame(states, [{ kind: 'behind', dropped: 1 }]);
  await until(() => journal.state.kind === 'keeping-up', 'the journal to catch up');
  journal.record(toolCall('after', { kind: 'result', output: 1 }));
  t.strictSame(await journal.close(), { written: 51, lost: 150 });
  t.strictSame((await entriesAt(t, url)).length, 102);
});

t.test('a journal whose database cannot be had does not open', async (t) => {
  await t.rejects(Journal.open({ url: 'sqlite:/nowhere/at/all.db', payloads: 'hashes', onState: () => undefined }), { code: 'unusable-database' });
  await t.rejects(Journal.open({ url: 'mysql://x', payloads: 'hashes', onState: () => undefined }), { code: 'invalid-argument' });
});

t.test('a journal whose thread cannot start does not open, and says why', { skip: cannotLimit }, async (t) => {
  const folder = temporaryFolder(t);
  const source = `import { Journal } from '${new URL('../../src/memory/journal/journal.js', import.meta.url).href}';
await Journal.open({ url: 'sqlite:${folder}/j.db', payloads: 'hashes', onState: () => {} }).catch(({ name, code, message }) => console.log(name, code, message));
`;
  t.match(await runWithoutThreads(folder, source), /^MemoryError no-thread The journal's thread did not start: .*EAGAIN.*ulimit -u/);
});

t.test('while the database is away calls are held, and written once it is back', { skip: noPostgres }, async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.schema();
  const { journal, states } = await open(t, url);
  journal.record(toolCall(1, { kind: 'result', output: 1 }));
  await server.stop('SIGINT');
  for (let at = 2; at <= 20; at++) journal.record(toolCall(at, { kind: 'result', output: at }));
  await until(() => journal.state.kind === 'failing', 'the journal to notice');
  await server.run();
  await until(() => journal.state.kind === 'keeping-up', 'the journal to go on', 30_000);
  t.strictSame(states.map(({ kind }) => kind), ['failing', 'keeping-up']);
  t.strictSame(await journal.close(), { written: 20, lost: 0 });
  t.equal((await entriesAt(t, url)).length, 40, 'each of them once');
});

t.test('closing does not wait for ever for a database that is away', { skip: noPostgres }, async (t) => {
  const server = await PostgresServer.start(t);
  const { journal } = await open(t, await server.schema());
  await server.stop('SIGINT');
  for (let at = 0; at < 3; at++) journal.record(toolCall(at, {}));
  t.strictSame(await journal.close(200), { written: 0, lost: 3 });
  journal.record(toolCall(9, {}));
  t.equal(journal.dropped, 1);
});
