import type { Database, Queries } from '../database/database.js';
import { InvalidRecord, MemoryError } from '../errors.js';
import { canonicalJson, sha256 } from '../hashing/canonical.js';
import { entryHash, sealOf } from '../hashing/chain.js';
import { newId } from '../hashing/new-id.js';
import type { NewLogEntry } from '../records/log-entry.js';
import { scopeRow } from '../records/scope.js';
import { checkNewLogEntry } from '../records/validate.js';
import type { EntryRow } from './entry-rows.js';
import { type HeadRow, lockHead, moveHead } from './head.js';

type Placed = 'sequence' | 'timestamp' | 'prev_hash' | 'entry_hash' | 'seal';

/** An entry that is checked, with all but what its place in the chain gives it. */
export interface PreparedEntry {
  readonly row: Omit<EntryRow, Placed>;
  /** Whether the id is the caller's, and may be taken. */
  readonly ownId: boolean;
}

/** Checks an entry and brings it into the form it is stored in; throws InvalidRecord. */
export function prepareEntry(entry: NewLogEntry): PreparedEntry {
  checkNewLogEntry(entry);
  const { tenantId, runId, scope, id, kind, actor, causedByLogId } = entry;
  if (scope?.tenantId !== undefined && scope.tenantId !== tenantId) throw new InvalidRecord('log entry', [{ field: 'scope.tenantId', message: 'must be the tenantId of the entry' }]);
  const payload = canonicalJson(entry.payload, 'log entry', 'payload') ?? null;
  const row = {
    ...scopeRow({ ...scope, tenantId }),
    run_id: runId,
    id: id ?? newId(),
    kind,
    actor: actor ?? null,
    payload,
    content_hash: payload === null ? null : sha256(payload),
    caused_by: causedByLogId ?? null,
  };
  return { row, ownId: id !== undefined };
}

/** Entries that are appended together or not at all. */
export type Batch = readonly PreparedEntry[];

/**
 * Appends batches in one transaction. Answers each batch's rows, or why that batch was left out; what
 * it throws has stopped all of them.
 */
export async function appendBatches(database: Database, queries: Queries, batches: readonly Batch[], now: () => number): Promise<(readonly EntryRow[] | MemoryError)[]> {
  const { dialect } = database;
  const refusals = await refusedBatches(queries, dialect.oneOf, batches);
  const accepted = batches.filter((batch) => !refusals.has(batch));
  const heads = await lockHeads(queries, dialect.forUpdate, accepted.flat());
  const timestamp = new Date(now()).toISOString();
  const outcomes = batches.map((batch) => refusals.get(batch) ?? batch.map((entry) => link(entry, heads, timestamp)));
  await queries.insert('memory_log', outcomes.flatMap((outcome) => (outcome instanceof MemoryError ? [] : outcome)));
  for (const head of heads.values()) await moveHead(queries, head);
  return outcomes;
}

const chainKey = (entry: Pick<EntryRow, 'tenant_id' | 'run_id'>): string => JSON.stringify([entry.tenant_id, entry.run_id]);

/** Every transaction locks in the same order, so that no two wait for each other. */
async function lockHeads(queries: Queries, forUpdate: string, entries: readonly PreparedEntry[]): Promise<Map<string, HeadRow>> {
  const chains = new Map(entries.map(({ row }) => [chainKey(row), row]));
  const heads = new Map<string, HeadRow>();
  for (const key of [...chains.keys()].sort()) {
    const row = chains.get(key);
    if (row !== undefined) heads.set(key, await lockHead(queries, forUpdate, row.tenant_id, row.run_id));
  }
  return heads;
}

/** Puts an entry at the end of its chain. */
function link({ row }: PreparedEntry, heads: Map<string, HeadRow>, now: string): EntryRow {
  const key = chainKey(row);
  const head = heads.get(key);
  if (head === undefined) throw new Error(`the head of ${key} was not locked`);
  // A clock that is set back must not set back the chain.
  const timestamp = now > head.timestamp ? now : head.timestamp;
  const placed = { ...row, sequence: head.sequence + 1, timestamp, prev_hash: head.entry_hash, entry_hash: '', seal: '' };
  placed.entry_hash = entryHash(placed);
  placed.seal = sealOf(placed, head.seal);
  heads.set(key, { ...head, sequence: placed.sequence, timestamp, entry_hash: placed.entry_hash, seal: placed.seal });
  return placed;
}

type OneOf = Database['dialect']['oneOf'];

/** The batches that name an id that is taken, or a cause that is not there. */
async function refusedBatches(queries: Queries, oneOf: OneOf, batches: readonly Batch[]): Promise<Map<Batch, MemoryError>> {
  const refusals = new Map<Batch, MemoryError>();
  const entries = batches.flat();
  const taken = await existing(queries, oneOf, entries.flatMap(({ row, ownId }) => (ownId ? [{ tenant: row.tenant_id, id: row.id }] : [])));
  const causes = await existing(queries, oneOf, entries.flatMap(({ row }) => (row.caused_by === null ? [] : [{ tenant: row.tenant_id, id: row.caused_by }])));
  for (const batch of batches) {
    const own = new Set<string>();
    for (const { row } of batch) {
      const key = idKey(row.tenant_id, row.id);
      const cause = row.caused_by === null ? undefined : idKey(row.tenant_id, row.caused_by);
      if (taken.has(key) || own.has(key)) refusals.set(batch, new MemoryError('duplicate-id', `Tenant ${row.tenant_id} has an entry ${row.id} already`));
      if (cause !== undefined && !causes.has(cause) && !own.has(cause)) {
        refusals.set(batch, new MemoryError('unknown-cause', `causedByLogId: tenant ${row.tenant_id} has no entry ${row.caused_by}`));
      }
      own.add(key);
    }
    if (refusals.has(batch)) continue;
    // Those that come later may be caused by these, but not have their ids.
    for (const key of own) {
      taken.add(key);
      causes.add(key);
    }
  }
  return refusals;
}

const idKey = (tenant: string, id: string): string => JSON.stringify([tenant, id]);

async function existing(queries: Queries, oneOf: OneOf, wanted: readonly { tenant: string; id: string }[]): Promise<Set<string>> {
  const idsOf = new Map<string, string[]>();
  for (const { tenant, id } of wanted) idsOf.set(tenant, [...(idsOf.get(tenant) ?? []), id]);
  const found = new Set<string>();
  for (const [tenant, ids] of idsOf) {
    const rows = await queries.query<{ id: string }>(`SELECT id FROM memory_log WHERE tenant_id = $1 AND ${oneOf('id', '$2')}`, [tenant, JSON.stringify(ids)]);
    for (const { id } of rows) found.add(idKey(tenant, id));
  }
  return found;
}
