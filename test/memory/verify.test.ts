/** A log shows that it was tampered with, where, and how. */
import { createHash, generateKeyPairSync, randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import type { Test } from 'tap';
import { checkSignedHeads, describeBreak, type LogEntry, type Memory, type NewLogEntry, openMemory, signHeads } from '../../src/memory/index.js';
import { all, emptyMemory, type Engine, everyEngine, memoryAt, onEachEngine } from './engines.js';
import { tamperWith, type Tampering, wayInto } from './tamper.js';

const chain = { tenantId: 'acme', runId: 'run-1' };
const length = 40;

const entries = (count: number): NewLogEntry[] => Array.from({ length: count }, (_, at) => ({ ...chain, kind: 'tool-call', actor: 'agent-1', scope: { userId: 'u', threadId: 't' }, payload: { at, text: `entry ${at}` } }));

interface Broken {
  readonly memory: Memory;
  readonly written: LogEntry[];
  readonly tampering: Tampering;
}

async function chainToBreak(t: Test, engine: Engine): Promise<Broken> {
  const url = await engine.url(t);
  const memory = await memoryAt(t, url);
  const written = await memory.log.appendAll(entries(length));
  await memory.log.appendAll([{ ...chain, runId: 'run-2', kind: 'user-message' }, { ...chain, tenantId: 'other', kind: 'user-message' }]);
  return { memory, written, tampering: await tamperWith(t, engine, url) };
}

const renumber = async ({ tampering }: Broken, from: number, to: number): Promise<unknown> => tampering.run('UPDATE memory_log SET sequence = $1 WHERE tenant_id = \'acme\' AND run_id = \'run-1\' AND sequence = $2', to, from);
const remove = async ({ tampering }: Broken, from: number, to = from): Promise<unknown> => tampering.run('DELETE FROM memory_log WHERE tenant_id = \'acme\' AND run_id = \'run-1\' AND sequence BETWEEN $1 AND $2', from, to);
const setHead = async ({ tampering, written }: Broken, sequence: number): Promise<unknown> =>
  tampering.run('UPDATE memory_log_heads SET sequence = $1, entry_hash = $2 WHERE tenant_id = \'acme\' AND run_id = \'run-1\'', sequence, written[sequence]?.entryHash ?? '');

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Inserts an entry of the intruder's own making, linked to the one before it or not. */
async function intrude({ tampering, written }: Broken, sequence: number, linked: boolean, sealed = false): Promise<void> {
  const prevHash = written[sequence - 1]?.entryHash ?? `sha256:${'0'.repeat(64)}`;
  const made = { id: `made-${sequence}`, kind: 'tool-result', payload: { made: true }, prevHash, runId: 'run-1', scope: { tenantId: 'acme' }, sequence, timestamp: '2026-01-01T00:00:00.000Z' };
  const hash = linked ? sha(canonicalize(made) ?? '') : sha('anything');
  const [before] = await tampering.run("SELECT seal FROM memory_log WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = $1", sequence - 1);
  const seal = sealed ? sha(canonicalize({ entryHash: hash, prevSeal: before?.['seal'] }) ?? '') : sha('anything');
  await tampering.run(
    `INSERT INTO memory_log (tenant_id, run_id, sequence, id, kind, timestamp, payload, prev_hash, entry_hash, seal) VALUES ('acme', 'run-1', $1, $2, 'tool-result', $3, '{"made":true}', $4, $5, $6)`,
    sequence, made.id, made.timestamp, prevHash, hash, seal,
  );
}

/** What is done to a chain, and the first broken entry that is to be found. */
const breakages: Readonly<Record<string, readonly [(broken: Broken) => Promise<unknown>, sequence: number, how: string]>> = {
  'an entry was changed': [({ tampering }) => tampering.run(`UPDATE memory_log SET payload = '{"at":7,"text":"entry 8"}' WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = 7`), 7, 'changed'],
  'the first entry was changed': [({ tampering }) => tampering.run(`UPDATE memory_log SET actor = NULL WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = 0`), 0, 'changed'],
  'the last entry was changed': [({ tampering }) => tampering.run(`UPDATE memory_log SET kind = 'tool-result' WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = 39`), 39, 'changed'],
  'an entry got a cause that it did not have': [({ tampering }) => tampering.run(`UPDATE memory_log SET caused_by = id WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = 7`), 7, 'changed'],
  'an entry lost its content hash': [({ tampering }) => tampering.run(`UPDATE memory_log SET content_hash = NULL WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = 7`), 7, 'changed'],
  'an entry was replaced, its hash made anew': [async (broken) => { await remove(broken, 7); await intrude(broken, 7, true); }, 7, 'changed'],
  'an entry was replaced, its hash and seal made anew': [async (broken) => { await remove(broken, 7); await intrude(broken, 7, true, true); }, 7, 'changed'],
  'an entry was removed': [(broken) => remove(broken, 7), 7, 'removed'],
  'the first entry was removed': [(broken) => remove(broken, 0), 0, 'removed'],
  'several were removed': [(broken) => remove(broken, 7, 12), 7, 'removed'],
  'an entry was removed and those after it numbered anew': [async (broken) => { await remove(broken, 7); for (let at = 8; at < length; at++) await renumber(broken, at, at - 1); }, 7, 'removed'],
  'two entries were swapped': [async (broken) => { await renumber(broken, 7, 900); await renumber(broken, 20, 7); await renumber(broken, 900, 20); }, 7, 'reordered'],
  'two neighbours were swapped': [async (broken) => { await renumber(broken, 7, 900); await renumber(broken, 8, 7); await renumber(broken, 900, 8); }, 7, 'reordered'],
  'an entry was inserted': [async (broken) => { for (let at = length - 1; at >= 7; at--) await renumber(broken, at, at + 1); await intrude(broken, 7, false); }, 7, 'inserted'],
  'an entry was inserted, well linked': [async (broken) => { for (let at = length - 1; at >= 7; at--) await renumber(broken, at, at + 1); await intrude(broken, 7, true); }, 7, 'inserted'],
  'an entry was inserted, well linked and sealed': [async (broken) => { for (let at = length - 1; at >= 7; at--) await renumber(broken, at, at + 1); await intrude(broken, 7, true, true); }, 7, 'inserted'],
  'an entry was put after the last, well linked and sealed': [(broken) => intrude(broken, length, true, true), length, 'inserted'],
  'an entry was put after the last': [(broken) => intrude(broken, length, true), length, 'inserted'],
  'the tail was cut': [(broken) => remove(broken, 30, 39), 30, 'cut'],
  'the last entry was cut': [(broken) => remove(broken, 39), 39, 'cut'],
  'everything was cut': [(broken) => remove(broken, 0, 39), 0, 'cut'],
  'the head was removed': [({ tampering }) => tampering.run(`DELETE FROM memory_log_heads WHERE tenant_id = 'acme' AND run_id = 'run-1'`), 0, 'headless'],
  'the head was changed': [({ tampering }) => tampering.run(`UPDATE memory_log_heads SET entry_hash = 'x' WHERE tenant_id = 'acme' AND run_id = 'run-1'`), 39, 'changed'],
};

for (const [what, [tamper, sequence, how]] of Object.entries(breakages)) {
  onEachEngine(`it is found that ${what}`, async (t, engine) => {
    const broken = await chainToBreak(t, engine);
    t.strictSame(await broken.memory.log.verify('all-tenants'), { chains: 3, entries: length + 2, breaks: [] });
    await tamper(broken);
    const { breaks } = await broken.memory.log.verify(chain);
    t.strictSame(breaks, [{ ...chain, sequence, how }]);
    t.strictSame((await broken.memory.log.verify('all-tenants')).breaks, breaks, 'and of nothing else among all');
    t.strictSame((await broken.memory.log.verify({ tenantId: 'other' })).breaks, []);
    for (const word of ['acme', 'run-1', String(sequence)]) t.match(breaks.map(describeBreak).join(), word);
    // An export ends with the head: what was put after it is left out.
    if (sequence < length) await t.rejects(all(broken.memory.log.export(chain)), { code: 'broken-chain' });
  });
}

onEachEngine('a tail that was cut together with its head is found by heads that were kept and signed', async (t, engine) => {
  const broken = await chainToBreak(t, engine);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signed = signHeads(await all(broken.memory.log.heads('all-tenants')), privateKey);
  const heads = checkSignedHeads(JSON.parse(JSON.stringify(signed)) as typeof signed, publicKey);
  await broken.memory.log.append({ ...chain, kind: 'tool-call' });
  t.strictSame((await broken.memory.log.verify('all-tenants', { heads })).breaks, [], 'a chain that has grown since is whole');
  await remove(broken, 30, 40);
  await setHead(broken, 29);
  await broken.tampering.run(`UPDATE memory_log_heads SET seal = (SELECT seal FROM memory_log WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = 29) WHERE tenant_id = 'acme' AND run_id = 'run-1'`);
  t.strictSame((await broken.memory.log.verify('all-tenants')).breaks, [], 'the database alone does not tell');
  t.strictSame((await broken.memory.log.verify('all-tenants', { heads })).breaks, [{ ...chain, sequence: 30, how: 'cut' }]);
  for (const table of ['memory_log', 'memory_log_heads']) await broken.tampering.run(`DELETE FROM ${table} WHERE run_id = 'run-2'`);
  t.strictSame((await broken.memory.log.verify({ tenantId: 'acme' }, { heads })).breaks.map(({ runId, sequence }) => [runId, sequence]), [['run-1', 30], ['run-2', 0]], 'nor that a whole run is gone');
  t.throws(() => checkSignedHeads({ ...signed, heads: signed.heads.slice(1) }, publicKey), { code: 'bad-signature' });
  t.throws(() => checkSignedHeads({ ...signed, signedAt: '2020-01-01T00:00:00.000Z' }, publicKey), { code: 'bad-signature' });
  t.throws(() => checkSignedHeads(signed, generateKeyPairSync('ed25519').publicKey), { code: 'bad-signature' });
});

onEachEngine('the database refuses to change or remove an entry', async (t, engine) => {
  const url = await engine.url(t);
  const memory = await memoryAt(t, url);
  await memory.log.appendAll(entries(3));
  const way = await wayInto(t, engine, url);
  const statements = ["UPDATE memory_log SET actor = 'x'", 'UPDATE memory_log SET sequence = sequence + 9', 'DELETE FROM memory_log', 'UPDATE memory_log_heads SET sequence = 0', 'DELETE FROM memory_log_heads'];
  for (const sql of [...statements, ...(engine.name === 'postgres' ? ['TRUNCATE memory_log', 'TRUNCATE memory_log_heads'] : [])]) await t.rejects(way.run(sql), /never/, sql);
  t.strictSame(await memory.log.verify('all-tenants'), { chains: 1, entries: 3, breaks: [] });
});

onEachEngine('a byte that was flipped in a chain of 10,000 is found at its entry, every time', async (t, engine) => {
  const flips = engine.name === 'sqlite' ? 1000 : 200;
  const url = await engine.url(t);
  const memory = await memoryAt(t, url);
  const first = await memory.log.append({ ...chain, kind: 'user-message' });
  const count = 10_000;
  for (let at = 1; at < count; at += 1000) await memory.log.appendAll(entries(Math.min(1000, count - at)).map((entry) => ({ ...entry, causedByLogId: first.id })));
  const tampering = await tamperWith(t, engine, url);
  // Verified from a place near before it, which takes the same steps as from the beginning; now and then from there.
  for (let flip = 0; flip < flips; flip++) {
    const sequence = randomInt(0, count);
    const flipped = await flipByte(tampering, sequence);
    const whole = flip % 200 === 0;
    const { breaks } = await memory.log.verify(chain, whole ? {} : { from: Math.max(0, sequence - randomInt(0, 20)), ...(sequence < count - 1 ? { to: sequence + 1 } : {}) });
    const [found] = breaks;
    if (found?.sequence !== sequence) t.fail(`a flip in ${flipped.column} of entry ${sequence} was found at ${String(found?.sequence)}`, { flipped, breaks, whole });
    await flipped.undo();
  }
  t.strictSame(await memory.log.verify('all-tenants'), { chains: 1, entries: count, breaks: [] }, 'with every flip undone the chain is whole');
});

/** Flips one bit of a random byte among all bytes of a row's columns. */
async function flipByte(tampering: Tampering, sequence: number): Promise<{ readonly column: string; readonly from: unknown; readonly to: unknown; undo(): Promise<void> }> {
  // By the tenant too: without, every flip would read the whole table.
  const set = async (column: string, to: string | number | null, tenant: string | number | null, id: string | number | null): Promise<unknown> => tampering.run(`UPDATE memory_log SET ${column} = $1 WHERE tenant_id = $2 AND id = $3`, to, tenant, id);
  const [row = {}] = await tampering.run(`SELECT * FROM memory_log WHERE tenant_id = 'acme' AND run_id = 'run-1' AND sequence = $1`, sequence);
  const bytes = Object.entries(row).flatMap(([column, value]) => (value === null ? [] : Array.from(String(value), (_, at) => ({ column, value, at }))));
  for (;;) {
    const { column, value, at } = bytes[randomInt(0, bytes.length)] ?? { column: '', value: '', at: 0 };
    const text = String(value);
    const to = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << randomInt(0, 7))) + text.slice(at + 1);
    // PostgreSQL holds no NUL; a number that is none is refused by both, and one that another entry has as well.
    if (to.includes('\0') || (column === 'sequence' && (!/^[0-9]+$/.test(to) || String(Number(to)) !== to || Number(to) < 10_000))) continue;
    const typed = column === 'sequence' ? Number(to) : to;
    const [tenant = null, id = null] = [row['tenant_id'], row['id']];
    await set(column, typed, tenant, id);
    return { column, from: value, to: typed, undo: async () => void (await set(column, value, column === 'tenant_id' ? to : tenant, column === 'id' ? to : id)) };
  }
}

onEachEngine('a bit that was flipped in the file itself, within an entry, is found at that entry', async (t, engine) => {
  const count = 1000;
  const url = await engine.url(t);
  const file = url.slice('sqlite:'.length);
  const memory = await memoryAt(t, url);
  const written = await memory.log.appendAll(entries(count));
  await memory.close();
  const whole = readFileSync(file);
  for (let flip = 0; flip < 150; flip++) {
    const sequence = pick(whole, written);
    const { start, key, end } = cellOf(whole, written[sequence] as LogEntry);
    // The key is flipped through SQL above: out of its order in the file, it would mislead the search for others.
    const place = randomInt(start, end - key.length);
    const at = place < key.from ? place : place + key.length;
    const flipped = Buffer.from(whole);
    flipped[at] = (whole[at] ?? 0) ^ (1 << randomInt(0, 8));
    writeFileSync(file, flipped);
    const again = await openMemory(url);
    const { breaks } = await again.log.verify(chain);
    await again.close();
    if (breaks[0]?.sequence !== sequence) t.fail(`a flip at byte ${at - start} of the cell of entry ${sequence} was found at ${String(breaks[0]?.sequence)}`, { breaks, byte: whole[at], flipped: flipped[at] });
  }
  writeFileSync(file, whole);
  t.strictSame((await (await memoryAt(t, url)).log.verify('all-tenants')).breaks, []);
}, everyEngine.slice(0, 1));

/** An entry that is in the file once: the free parts of pages hold copies of some, which nobody reads. */
function pick(file: Buffer, written: readonly LogEntry[]): number {
  for (;;) {
    const sequence = randomInt(0, written.length);
    const { id = '', kind = '' } = written[sequence] ?? {};
    if (file.indexOf(`${id}${kind}`) === file.lastIndexOf(`${id}${kind}`)) return sequence;
  }
}

/** Where an entry's record lies in the file: its header, its key (two texts and a number of up to two bytes), and its columns. */
function cellOf(file: Buffer, { id, kind }: LogEntry): { readonly start: number; readonly key: { readonly from: number; readonly length: number }; readonly end: number } {
  // The id is in an index too: only in the record is it followed by the kind.
  const at = file.indexOf(`${id}${kind}`);
  const hash = /sha256:[0-9a-f]{64}/g;
  const hashes = [...file.toString('latin1', at, at + 2000).matchAll(hash)];
  const last = hashes[3];
  if (at === -1 || last === undefined) throw new Error(`the record of ${id} is not in the file`);
  // Before the key stands the record's header, whose last 19 bytes are the types of the other columns.
  const from = file.lastIndexOf('acmerun-1', at);
  return { start: from - 19, key: { from, length: 'acmerun-1'.length + 2 }, end: at + last.index + last[0].length };
}

onEachEngine('verifying goes on from a sequence, and stops at one', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  await memory.log.appendAll(entries(length));
  t.strictSame(await memory.log.verify(chain, { from: 10, to: 19 }), { chains: 1, entries: 10, breaks: [] });
  t.strictSame(await memory.log.verify(chain, { from: 30 }), { chains: 1, entries: 10, breaks: [] });
  const progress: number[] = [];
  await memory.log.verify('all-tenants', { onProgress: (done) => progress.push(done) });
  t.equal(progress.at(-1), length);
  await t.rejects(memory.log.verify('all-tenants', { from: 1 }), { code: 'invalid-argument' });
  await t.rejects(memory.log.verify({} as typeof chain), { code: 'invalid-argument' }, 'a tenant that was forgotten is not everybody');
  await t.rejects(memory.log.verify({ tenantId: undefined } as unknown as typeof chain), { code: 'invalid-argument' });
});
