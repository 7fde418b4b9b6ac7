import type { Queries } from '../database/database.js';
import { entryHash, type Link, zeroHash } from '../hashing/chain.js';
import { entryColumns, type EntryRow } from './entry-rows.js';
import { findHead } from './head.js';

/**
 * How a chain is broken:
 *
 * - `changed`: the entry is not what was appended
 * - `removed`: the entry is missing, and later ones are there
 * - `reordered`: another entry of the chain stands in its place
 * - `inserted`: the entry was not appended, or not here
 * - `cut`: the entry and all after it are missing
 * - `headless`: there are entries, but no head was kept of them
 */
export type BreakKind = 'changed' | 'removed' | 'reordered' | 'inserted' | 'cut' | 'headless';

/** The first broken entry of a chain. */
export interface Break {
  readonly tenantId: string;
  readonly runId: string;
  readonly sequence: number;
  readonly how: BreakKind;
}

const sentences: Readonly<Record<BreakKind, string>> = {
  changed: 'was changed',
  removed: 'was removed',
  reordered: 'was put out of order',
  inserted: 'was inserted',
  cut: 'and all after it were cut off',
  headless: 'is without the head of its chain',
};

/** A sentence that names tenant, run and sequence. */
export function describeBreak({ tenantId, runId, sequence, how }: Break): string {
  return `Entry ${sequence} of run ${JSON.stringify(runId)} of tenant ${JSON.stringify(tenantId)} ${sentences[how]}`;
}

/** Where the walk along a chain stopped: the row that does not follow, and the two before it. */
export interface Stop {
  readonly row: EntryRow;
  /** The sequence the row should have. */
  readonly expected: number;
  readonly previous: Link;
  readonly beforePrevious: Link | undefined;
}

export interface Diagnosis {
  readonly sequence: number;
  readonly how: BreakKind;
}

/** How many places are tried to find out where a displaced row belongs. */
const mostPlaces = 1_000_000;

/**
 * Tells what was done to a chain from the first row that does not follow. A row's hash covers its
 * sequence and the hash before it, so that a row which was moved still says where it belongs.
 */
export async function diagnose(queries: Queries, stop: Stop): Promise<Diagnosis> {
  const { row, expected, previous, beforePrevious } = stop;
  if (row.sequence !== expected) return { sequence: expected, how: 'removed' };
  const ownHashFits = row.entry_hash === entryHash(row);
  if (row.prev_hash === previous.entry_hash) {
    // When the next row belongs here, or no append has come this far, this one was put in.
    const next = await rowAt(queries, row, expected + 1);
    const displaced = next !== undefined && next.prev_hash === previous.entry_hash && belongsAt(next, expected);
    const head = await findHead(queries, row.tenant_id, row.run_id);
    return { sequence: expected, how: displaced || (head !== undefined && head.sequence < expected) ? 'inserted' : 'changed' };
  }
  const intruder = beforePrevious !== undefined && row.prev_hash === beforePrevious.entry_hash && belongsAt(row, expected - 1);
  if (intruder) return { sequence: expected - 1, how: 'inserted' };
  // Whole in itself, but linked to another entry than the one before: that one was changed, hash and all.
  if (ownHashFits) return { sequence: Math.max(0, expected - 1), how: 'changed' };
  return { sequence: expected, how: await displacement(queries, row) };
}

async function displacement(queries: Queries, row: EntryRow): Promise<BreakKind> {
  const last = await lastSequence(queries, row);
  const places = Math.min(last + 2, mostPlaces);
  for (let place = 0; place < places; place++) {
    if (place === row.sequence || !belongsAt(row, place)) continue;
    // With the entry that it followed still there, it was moved; without, the rows after a gap were numbered anew.
    return row.prev_hash === zeroHash || (await hasHash(queries, row, row.prev_hash)) ? 'reordered' : 'removed';
  }
  return 'changed';
}

function belongsAt(row: EntryRow, sequence: number): boolean {
  return row.entry_hash === entryHash({ ...row, sequence });
}

type Chain = Pick<EntryRow, 'tenant_id' | 'run_id'>;

async function rowAt(queries: Queries, { tenant_id, run_id }: Chain, sequence: number): Promise<EntryRow | undefined> {
  const [row] = await queries.query<EntryRow>(`SELECT ${entryColumns} FROM memory_log WHERE tenant_id = $1 AND run_id = $2 AND sequence = $3`, [tenant_id, run_id, sequence]);
  return row;
}

async function lastSequence(queries: Queries, { tenant_id, run_id }: Chain): Promise<number> {
  const [row] = await queries.query<{ last: number }>('SELECT max(sequence) AS last FROM memory_log WHERE tenant_id = $1 AND run_id = $2', [tenant_id, run_id]);
  return row?.last ?? -1;
}

async function hasHash(queries: Queries, { tenant_id, run_id }: Chain, hash: string): Promise<boolean> {
  const rows = await queries.query('SELECT 1 FROM memory_log WHERE tenant_id = $1 AND run_id = $2 AND entry_hash = $3 LIMIT 1', [tenant_id, run_id, hash]);
  return rows.length > 0;
}
