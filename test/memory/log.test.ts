/** What a log takes, and what it gives back. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { type LogEntry, logEntryKinds, type NewLogEntry } from '../../src/memory/index.js';
import { all, emptyMemory, everyEngine, memoryAt, onEachEngine } from './engines.js';

const entry: NewLogEntry = { tenantId: 'acme', runId: 'run-1', kind: 'user-message', payload: { text: 'hello' } };
const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The hash as the contract words it, put together by nothing of ours. */
function hashOf({ actor, id, kind, payload, prevHash, runId, scope, sequence, timestamp }: LogEntry): string {
  return sha(canonicalize({ actor, id, kind, payload, prevHash, runId, scope, sequence, timestamp }) ?? '');
}

onEachEngine('an entry gets its id, sequence, time and hashes, and is read as it was acknowledged', async (t, engine) => {
  const memory = await emptyMemory(t, engine, { now: () => Date.parse('2026-01-01T00:00:00Z') });
  const first = await memory.log.append({ ...entry, scope: { userId: 'u', threadId: 't' }, actor: 'user-7' });
  const second = await memory.log.append({ ...entry, kind: 'agent-message', causedByLogId: first.id });
  t.match(first, { sequence: 0, timestamp: '2026-01-01T00:00:00.000Z', prevHash: `sha256:${'0'.repeat(64)}`, actor: 'user-7', scope: { tenantId: 'acme', userId: 'u', threadId: 't' } });
  t.match(second, { sequence: 1, prevHash: first.entryHash, causedByLogId: first.id, payload: { text: 'hello' } });
  t.equal(first.entryHash, hashOf(first));
  t.equal(second.contentHash, sha('{"text":"hello"}'));
  t.strictSame(await all(memory.log.read({ tenantId: 'acme', runId: 'run-1' })), [first, second]);
}, everyEngine);

onEachEngine('every kind is taken', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  const written = await memory.log.appendAll(logEntryKinds.map((kind) => ({ ...entry, kind })));
  t.strictSame(written.map(({ kind }) => kind), [...logEntryKinds]);
  t.strictSame(written.map(({ sequence }) => sequence), logEntryKinds.map((_, at) => at));
});

onEachEngine('any JSON is taken as a payload, comes back as it was, and hashes as the contract words it', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !/\0|\p{Surrogate}/u.test(text));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }), names, names, async (payload, actor, userId) => {
      const runId = `run-${runs++}`;
      const written = await memory.log.append({ tenantId: 'acme', runId, kind: 'event-emitted', payload, actor, scope: { userId } });
      const [read] = await all(memory.log.read({ tenantId: 'acme', runId }));
      t.strictSame(read, written);
      t.strictSame(read?.payload, JSON.parse(JSON.stringify(payload)));
      t.equal(written.entryHash, hashOf(written));
      const { breaks } = await memory.log.verify({ tenantId: 'acme', runId });
      t.strictSame(breaks, []);
    }),
    { numRuns: 60 },
  );
});

onEachEngine('what is no entry is refused by the field, and leaves nothing', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const refused: [string, unknown, string[]][] = [
    ['no tenant', { ...entry, tenantId: undefined }, ['tenantId']],
    ['an empty tenant', { ...entry, tenantId: '' }, ['tenantId']],
    ['no run and no kind', { tenantId: 'acme' }, ['runId', 'kind']],
    ['a kind that is none', { ...entry, kind: 'shout' }, ['kind']],
    ['a field that is none', { ...entry, colour: 'red' }, ['colour']],
    ['another tenant in the scope', { ...entry, scope: { tenantId: 'other' } }, ['scope.tenantId']],
    ['a scope field that is none', { ...entry, scope: { roomId: '1' } }, ['scope.roomId']],
    ['a scope field that is no text', { ...entry, scope: { userId: 7 } }, ['scope.userId']],
    ['a NUL in a name', { ...entry, actor: 'a\0b' }, ['actor']],
    ['half of a surrogate pair in a name', { ...entry, runId: '\ud800' }, ['runId']],
    ['half of a surrogate pair in a payload', { ...entry, payload: { text: ['\udc00'] } }, ['payload.text.0']],
    ['NaN', { ...entry, payload: { a: [1, NaN] } }, ['payload.a.1']],
    ['a function', { ...entry, payload: { run: () => 1 } }, ['payload.run']],
    ['a BigInt', { ...entry, payload: 1n }, ['payload']],
    ['a Date', { ...entry, payload: { at: new Date(0) } }, ['payload.at']],
    ['undefined in a list', { ...entry, payload: [undefined] }, ['payload.0']],
  ];
  for (const [what, value, fields] of refused) {
    const error = await memory.log.append(value as NewLogEntry).then(() => undefined, (thrown: unknown) => thrown as { code: string; issues: { field: string }[] });
    t.equal(error?.code, 'invalid-record', what);
    t.strictSame(error?.issues.map(({ field }) => field), fields, what);
  }
  await t.rejects(memory.log.append({ ...entry, payload: circle }), { code: 'invalid-record' });
  await t.rejects(memory.log.appendAll([entry, { ...entry, kind: 'shout' as 'retrieval' }]), { code: 'invalid-record' });
  t.strictSame(await memory.log.verify('all-tenants'), { chains: 0, entries: 0, breaks: [] });
});

onEachEngine('an id that is taken and a cause that is not there are refused, alone', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  await memory.log.append({ ...entry, id: 'one' });
  await memory.log.append({ ...entry, tenantId: 'other', id: 'one' });
  const outcomes = await Promise.allSettled([
    memory.log.append({ ...entry, id: 'two' }),
    memory.log.append({ ...entry, id: 'one' }),
    memory.log.appendAll([{ ...entry, id: 'three' }, { ...entry, causedByLogId: 'nowhere' }]),
    memory.log.appendAll([{ ...entry, id: 'three' }, { ...entry, id: 'four', causedByLogId: 'three' }]),
    memory.log.append({ ...entry, causedByLogId: 'four' }),
    memory.log.append({ ...entry, id: 'two' }),
  ]);
  t.strictSame(outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'appended')), ['appended', 'duplicate-id', 'unknown-cause', 'appended', 'appended', 'duplicate-id']);
  const read = await all(memory.log.read({ tenantId: 'acme', runId: 'run-1' }));
  t.strictSame(read.slice(0, 4).map(({ id }) => id), ['one', 'two', 'three', 'four']);
  t.strictSame(await memory.log.verify('all-tenants'), { chains: 2, entries: 6, breaks: [] });
});

onEachEngine('entries are read from a sequence on, by kind, by time and by scope', async (t, engine) => {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const memory = await emptyMemory(t, engine, { now: () => (time += 1000) });
  for (let at = 0; at < 1200; at += 100) {
    await memory.log.appendAll(Array.from({ length: 100 }, (_, within) => ({ ...entry, kind: within % 2 ? 'tool-call' : 'tool-result', scope: { userId: `u${(at + within) % 3}` } })));
  }
  const sequences = async (options: object): Promise<number[]> => (await all(memory.log.read({ tenantId: 'acme', runId: 'run-1', ...options }))).map(({ sequence }) => sequence);
  const every = Array.from({ length: 1200 }, (_, at) => at);
  t.strictSame(await sequences({}), every);
  t.strictSame(await sequences({ from: 1100 }), every.slice(1100));
  t.strictSame(await sequences({ kinds: ['tool-call'] }), every.filter((at) => at % 2));
  t.strictSame(await sequences({ scope: { userId: 'u1' } }), every.filter((at) => at % 3 === 1));
  t.strictSame(await sequences({ kinds: ['tool-call'], from: 600, limit: 700, scope: { userId: 'u2' } }), every.slice(600).filter((at) => at % 2 && at % 3 === 2).slice(0, 700));
  // Each batch of a hundred has a second of its own.
  t.strictSame(await sequences({ since: '2026-01-01T00:00:02Z', until: '2026-01-01T00:00:04Z' }), every.slice(100, 300));
  t.strictSame(await sequences({ limit: 0 }), []);
  t.strictSame(await sequences({ runId: 'another' }), []);
  await t.rejects(sequences({ tenantId: '' }), { code: 'invalid-record' });
  await t.rejects(sequences({ since: 'yesterday' }), { code: 'invalid-argument' });
});

onEachEngine('a clock that is set back does not set back a chain', async (t, engine) => {
  const times = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'].map(Date.parse);
  const memory = await emptyMemory(t, engine, { now: () => times.shift() ?? 0 });
  for (let at = 0; at < 3; at++) await memory.log.append(entry);
  const read = await all(memory.log.read({ tenantId: 'acme', runId: 'run-1' }));
  t.strictSame(read.map(({ timestamp }) => timestamp), ['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']);
});

onEachEngine('a memory that is opened again goes on where it ended', async (t, engine) => {
  const url = await engine.url(t);
  const before = await memoryAt(t, url);
  const first = await before.log.append(entry);
  await before.close();
  await t.rejects(before.log.append(entry), { code: 'closed' });
  const memory = await memoryAt(t, url, { create: false });
  t.match(await memory.log.append(entry), { sequence: 1, prevHash: first.entryHash });
});

onEachEngine('a memory that is not there is not made when that is not wanted', async (t, engine) => {
  const url = await engine.url(t);
  await t.rejects(memoryAt(t, url, { create: false }), { code: 'unusable-database' });
});
