/** What facts take, how their versions count, and what keeps them. */
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Fact, type Memory, type NewFact, openMemory } from '../../src/memory/index.js';
import { all, emptyMemory, type Engine, everyEngine, memoryAt, onEachEngine } from './engines.js';
import { wayInto } from './tamper.js';
import { temporaryFolder } from '../temporary-pack.js';

const scope = { tenantId: 'acme', userId: 'u1' };
const why = { actor: 'admin', reason: 'because' };
const day = 24 * 60 * 60 * 1000;

const note = (id: string, more: Partial<NewFact> = {}): NewFact => ({ scope, id, type: 'note', content: { text: id }, ...more });

/** A memory whose clock the test turns. */
async function clocked(t: Test, engine: Engine): Promise<{ readonly memory: Memory; readonly clock: { time: number } }> {
  const clock = { time: Date.parse('2026-01-01T00:00:00Z') };
  return { memory: await emptyMemory(t, engine, { now: () => clock.time }), clock };
}

onEachEngine('versions count up from one, supersede each other, and stay as they were', async (t, engine) => {
  const { memory, clock } = await clocked(t, engine);
  const cause = await memory.log.append({ tenantId: 'acme', runId: 'r', kind: 'tool-result' });
  const first = await memory.facts.put(note('n', { causedByLogId: [cause.id] }));
  clock.time += 1000;
  const second = await memory.facts.put(note('n', { type: 'remark', content: [1, { b: 1, a: null }] }));
  t.strictSame(first, { id: 'n', type: 'note', scope, version: 1, createdAt: '2026-01-01T00:00:00.000Z', content: { text: 'n' }, contentHash: first.contentHash, size: 12, causedByLogId: [cause.id] } as Fact);
  t.match(second, { version: 2, supersedes: 'n@1', createdAt: first.createdAt, updatedAt: '2026-01-01T00:00:01.000Z', type: 'remark', content: [1, { b: 1, a: null }] });
  t.strictSame(await memory.facts.get({ scope, id: 'n' }), { fact: second, freshness: { kind: 'no-source' } });
  t.strictSame((await memory.facts.get({ scope, id: 'n' }, { version: 1 }))?.fact, first);
  t.strictSame(await memory.facts.history({ scope, id: 'n' }), [first, second]);
  t.equal(await memory.facts.get({ scope, id: 'n' }, { version: 3 }), undefined);
  t.equal(await memory.facts.get({ scope: { tenantId: 'acme' }, id: 'n' }), undefined, 'the id is the scope\'s own');
}, everyEngine);

onEachEngine('a version that is expected and not there is a conflict', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  await t.rejects(memory.facts.put(note('n', { expectedVersion: 1 })), { code: 'version-conflict' });
  await memory.facts.put(note('n', { expectedVersion: 0 }));
  await t.rejects(memory.facts.put(note('n', { expectedVersion: 0 })), { code: 'version-conflict' });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => memory.facts.put(note('n', { content: at, expectedVersion: 1 }))));
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1, 'of many at once one wins');
  t.equal((await memory.facts.history({ scope, id: 'n' })).length, 2);
});

onEachEngine('many that put one fact at once each get a version', async (t, engine) => {
  const url = await engine.url(t);
  const memories = await Promise.all([1, 2, 3].map(() => memoryAt(t, url)));
  const put = await Promise.all(memories.flatMap((memory) => Array.from({ length: 8 }, (_, at) => memory.facts.put(note('n', { content: at })))));
  t.strictSame(put.map((fact) => fact.version).sort((one, other) => one - other), Array.from({ length: 24 }, (_, at) => at + 1));
  const history = await memories[0]?.facts.history({ scope, id: 'n' });
  t.strictSame(history?.map(({ supersedes }) => supersedes), [undefined, ...Array.from({ length: 23 }, (_, at) => `n@${at + 1}`)]);
  t.equal((await memories[1]?.facts.get({ scope, id: 'n' }))?.fact.version, 24);
});

onEachEngine('what is no fact is refused by the field', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  const refused: [unknown, string[]][] = [
    [{ scope, content: 1 }, ['type']],
    [{ type: 'note' }, ['scope']],
    [{ scope: { userId: 'u' }, type: 'note' }, ['scope.tenantId']],
    [note('', {}), ['id']],
    [note('n', { retention: { keepDays: -1 } }), ['retention.keepDays']],
    [note('n', { retention: { keepUntil: 'tomorrow' } }), ['retention.keepUntil']],
    [note('n', { causedByLogId: [] }), ['causedByLogId']],
    [{ ...note('n'), version: 3 }, ['version']],
    [{ ...note('n'), source: { kind: 'telepathy', freshness: {}, refresh: {} } }, ['source.kind', 'source.refresh.strategy']],
    [note('n', { content: { at: NaN } }), ['content.at']],
  ];
  for (const [fact, fields] of refused) {
    const error = await memory.facts.put(fact as NewFact).then(() => undefined, (thrown: unknown) => thrown as { code: string; issues: { field: string }[] });
    t.equal(error?.code, 'invalid-record', fields.join());
    t.strictSame(error?.issues.map(({ field }) => field).sort(), fields.sort());
  }
  await t.rejects(memory.facts.put(note('n', { causedByLogId: ['nowhere'] })), { code: 'unknown-cause' });
  t.strictSame((await memory.stats('all-tenants')).tenants, []);
});

onEachEngine('a content above 64 KiB is kept as a blob, once a tenant, and checked when it is read', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  const content = { text: 'x'.repeat(70_000) };
  const put = await memory.facts.put(note('large', { content }));
  t.match(put, { contentRef: /^blob:\/\/(fs|sqlite|postgres)\/[0-9a-f]{32}\/[0-9a-f]{64}$/, size: 70_011 });
  t.equal(put.content, undefined);
  t.strictSame((await memory.facts.get({ scope, id: 'large' }))?.fact, { ...put, content });
  const inline = await memory.facts.put(note('inline', { content: 'x'.repeat(64 * 1024 - 2) }));
  t.equal(inline.contentRef, undefined, 'up to 64 KiB it stands inline');
  t.equal((await memory.facts.put(note('same', { content }))).contentRef, put.contentRef);
  t.not((await memory.facts.put({ ...note('large', { content }), scope: { tenantId: 'other' } })).contentRef, put.contentRef, 'tenants share no blob');
}, everyEngine);

onEachEngine('a blob that was changed or removed is noticed', async (t, engine) => {
  const url = await engine.url(t);
  const folder = temporaryFolder(t);
  const memory = await openMemory(url, { blobs: folder });
  t.teardown(() => memory.close());
  const { contentRef = '' } = await memory.facts.put(note('large', { content: 'x'.repeat(70_000) }));
  const file = join(folder, contentRef.replace('blob://fs/', ''));
  writeFileSync(file, readFileSync(file, 'utf8').replace('x', 'y'));
  await t.rejects(memory.facts.get({ scope, id: 'large' }), { code: 'blob-changed' });
  await memory.facts.put(note('again', { content: 'x'.repeat(70_000) }));
  t.ok(await memory.facts.get({ scope, id: 'large' }), 'the same content put again mends it');
  const elsewhere = await memoryAt(t, url, { blobs: temporaryFolder(t) });
  await t.rejects(elsewhere.facts.get({ scope, id: 'large' }), { code: 'blob-missing' });
});

onEachEngine('facts are listed by type and scope, each in its latest version', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  for (let at = 0; at < 450; at++) await memory.facts.put(note(`n${at}`, { type: at % 2 ? 'odd' : 'even', scope: { tenantId: 'acme', userId: `u${at % 3}` } }));
  await memory.facts.put(note('n3', { type: 'odd', scope: { tenantId: 'acme', userId: 'u0' }, content: 'new' }));
  const ids = async (options: object): Promise<string[]> => (await all(memory.facts.list({ scope: { tenantId: 'acme' }, ...options }))).map(({ id }) => id);
  t.equal((await ids({})).length, 450);
  t.equal((await ids({ type: 'odd' })).length, 225);
  t.equal((await ids({ type: 'odd', scope: { tenantId: 'acme', userId: 'u0' } })).length, 75);
  t.strictSame((await ids({})).filter((id) => id === 'n3'), ['n3'], 'only once');
  t.strictSame((await ids({ limit: 3 })), ['n0', 'n1', 'n2']);
  t.strictSame(await ids({ scope: { tenantId: 'acme', userId: 'nobody' } }), []);
});

onEachEngine('what is to be kept is kept, a legal hold until it is released, and all of it is logged', async (t, engine) => {
  const { memory, clock } = await clocked(t, engine);
  await memory.facts.put(note('kept', { retention: { keepDays: 10 } }));
  await t.rejects(memory.facts.delete({ scope, id: 'kept' }, why), { code: 'retained' });
  clock.time += 11 * day;
  await memory.facts.hold({ scope, id: 'kept' }, why);
  await t.rejects(memory.facts.delete({ scope, id: 'kept' }, why), { code: 'legal-hold' });
  t.strictSame((await memory.facts.sweep('all-tenants')).versions, []);
  const next = await memory.facts.put(note('kept', { retention: {} }));
  t.strictSame(next.retention, { legalHold: true }, 'a new version does not get rid of the hold');
  await memory.facts.release({ scope, id: 'kept' }, { actor: 'judge', reason: 'case closed' });
  t.strictSame((await memory.facts.get({ scope, id: 'kept' }))?.fact.retention, undefined);
  await memory.facts.delete({ scope, id: 'kept' }, why);
  t.equal(await memory.facts.get({ scope, id: 'kept' }), undefined);
  const logged = await all(memory.log.read({ tenantId: 'acme', runId: 'memory-keeping' }));
  t.match(logged, [
    { kind: 'event-emitted', actor: 'admin', payload: { event: 'fact-held', id: 'kept' } },
    { actor: 'judge', payload: { event: 'fact-released', id: 'kept', reason: 'case closed' } },
    { payload: { event: 'fact-deleted', versions: [1, 2] } },
  ]);
  await t.rejects(memory.facts.delete({ scope, id: 'kept' }, why), { code: 'no-such-fact' });
});

onEachEngine('the database refuses to delete what is on hold, and to change a version', async (t, engine) => {
  const url = await engine.url(t);
  const memory = await memoryAt(t, url);
  await memory.facts.put(note('held', { retention: { legalHold: true } }));
  const way = await wayInto(t, engine, url);
  await t.rejects(way.run('DELETE FROM memory_facts'), /hold/);
  for (const change of ["content = '1'", 'version = 7', "type = 'x'", "created_at = 'x'", "tenant_id = 'x'"]) await t.rejects(way.run(`UPDATE memory_facts SET ${change}`), /never changed/, change);
});

onEachEngine('a sweep deletes what has had its time, and a dry run tells what it would', async (t, engine) => {
  const { memory, clock } = await clocked(t, engine);
  const large = { content: 'x'.repeat(70_000) };
  await memory.facts.put(note('old', { retention: { keepDays: 1 } }));
  await memory.facts.put(note('old', { retention: { keepDays: 1 }, ...large }));
  await memory.facts.put(note('until', { retention: { keepUntil: '2026-01-02T00:00:00Z', keepDays: 30 } }));
  await memory.facts.put(note('for ever'));
  await memory.facts.put(note('held', { retention: { keepDays: 1, legalHold: true } }));
  // Its older version is kept for ever: the latest must not go and leave it as the fact's.
  await memory.facts.put(note('older', {}));
  await memory.facts.put(note('older', { retention: { keepDays: 1 } }));
  await memory.facts.put({ ...note('old', { retention: { keepDays: 1 } }), scope: { tenantId: 'other' } });
  t.strictSame((await memory.facts.sweep('all-tenants')).versions, []);
  clock.time += 2 * day;
  const expected = [{ scope, id: 'old', version: 1 }, { scope, id: 'old', version: 2 }];
  t.strictSame((await memory.facts.sweep({ tenantId: 'acme' }, { dryRun: true })).versions, expected);
  t.equal((await memory.facts.history({ scope, id: 'old' })).length, 2, 'a dry run deletes nothing');
  t.strictSame((await memory.facts.sweep({ tenantId: 'acme' })).versions, expected);
  t.equal(await memory.facts.get({ scope, id: 'old' }), undefined);
  for (const id of ['until', 'for ever', 'held', 'older']) t.ok(await memory.facts.get({ scope, id }), id);
  t.strictSame((await memory.facts.sweep('all-tenants')).versions, [{ scope: { tenantId: 'other' }, id: 'old', version: 1 }], 'other tenants have their own');
  t.match((await all(memory.log.read({ tenantId: 'acme', runId: 'memory-keeping' }))).map(({ payload }) => payload), [{ event: 'facts-swept', facts: [{ id: 'old', version: 1 }, { id: 'old', version: 2 }] }]);
  clock.time += 30 * day;
  t.strictSame((await memory.facts.sweep('all-tenants')).versions.map(({ id }) => id), ['until'], 'the later of two times counts');
}, everyEngine);

onEachEngine('a sweep deletes blobs that no version has, an hour after they were written', async (t, engine) => {
  const folder = temporaryFolder(t);
  const memory = await emptyMemory(t, engine, { blobs: folder });
  const blobs = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('/'));
  await memory.facts.put(note('used', { content: 'x'.repeat(70_000) }));
  await memory.facts.put(note('unused', { content: 'y'.repeat(80_000) }));
  await memory.facts.delete({ scope, id: 'unused' }, why);
  t.match(await memory.facts.sweep('all-tenants'), { blobs: 0 }, 'a put that is under way may be about to use it');
  const then = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of blobs()) utimesSync(join(folder, path), then, then);
  t.match(await memory.facts.sweep('all-tenants', { dryRun: true }), { blobs: 1, blobBytes: 80_002 });
  t.equal(blobs().length, 2);
  t.match(await memory.facts.sweep('all-tenants'), { blobs: 1, blobBytes: 80_002 });
  t.equal(blobs().length, 1);
  t.ok((await memory.facts.get({ scope, id: 'used' }))?.fact.content);
});

onEachEngine('closing leaves one whole file', async (t, engine) => {
  const url = await engine.url(t);
  const file = url.slice('sqlite:'.length);
  const memory = await memoryAt(t, url);
  await Promise.all([memory.facts.put(note('n')), memory.log.append({ tenantId: 'acme', runId: 'r', kind: 'retrieval' })]);
  t.ok(existsSync(`${file}-wal`));
  await memory.close();
  await memory.close();
  t.notOk(existsSync(`${file}-wal`) || existsSync(`${file}-shm`));
}, [everyEngine[0] as Engine]);
