import type { Database, Queries } from '../database/database.js';
import { beginning, follows, type Link } from '../hashing/chain.js';
import { type Break, diagnose } from './break.js';
import { entryColumns, type EntryRow, pagesOf } from './entry-rows.js';
import { findHead, type Head } from './head.js';
import type { ChainName } from './selection.js';

/** Which part of a chain, and what is known of it from elsewhere. */
export interface WalkOptions {
  /** The first sequence; the entry before it is taken for whole. */
  readonly from?: number;
  /** The last sequence. */
  readonly to?: number;
  /** A head that was kept elsewhere. */
  readonly kept?: Head | undefined;
}

/** Walks a chain, yields pages of rows that are what was appended, and returns the first break. */
export async function* walk(database: Database, { tenantId, runId }: ChainName, { from = 0, to = Infinity, kept }: WalkOptions = {}): AsyncGenerator<readonly EntryRow[], Break | undefined> {
  const broken = (sequence: number, how: Break['how']): Break => ({ tenantId, runId, sequence, how });
  let previous = await linkBefore(database, tenantId, runId, from);
  if (previous === undefined) return broken(from - 1, 'removed');
  let beforePrevious: Link | undefined;
  let expected = from;
  const bounds = to === Infinity ? {} : { conditions: ['sequence <= $4'], values: [to] };
  try {
    for await (const rows of pagesOf(database, { tenantId, runId, from, ...bounds })) {
      for (const row of rows) {
        if (row.sequence !== expected || !follows(row, previous)) {
          const { sequence, how } = await diagnose(database, { row, expected, previous, beforePrevious });
          return broken(sequence, how);
        }
        if (kept?.sequence === expected && (kept.entryHash !== row.entry_hash || kept.seal !== row.seal)) return broken(expected, 'changed');
        [beforePrevious, previous] = [previous, row];
        expected++;
      }
      yield rows;
    }
  } catch (error) {
    if (database.isUnreadable(error)) return broken(expected, 'changed');
    throw error;
  }
  if (to < expected) return undefined;
  const end = await wrongEnd(database, tenantId, runId, expected, previous);
  if (end !== undefined) return broken(end.sequence, end.how);
  return kept !== undefined && kept.sequence >= expected ? broken(expected, 'cut') : undefined;
}

async function linkBefore(queries: Queries, tenantId: string, runId: string, from: number): Promise<Link | undefined> {
  if (from === 0) return beginning;
  const [row] = await queries.query<EntryRow>(`SELECT ${entryColumns} FROM memory_log WHERE tenant_id = $1 AND run_id = $2 AND sequence = $3`, [tenantId, runId, from - 1]);
  return row;
}

/** Compares where the rows ended with the head. Others may have appended meanwhile: the head may be further on. */
async function wrongEnd(queries: Queries, tenantId: string, runId: string, expected: number, last: Link): Promise<Pick<Break, 'sequence' | 'how'> | undefined> {
  const head = await findHead(queries, tenantId, runId);
  if (head === undefined) return expected === 0 ? undefined : { sequence: 0, how: 'headless' };
  if (head.sequence < expected - 1) return { sequence: head.sequence + 1, how: 'inserted' };
  if (head.sequence === expected - 1) return head.entry_hash === last.entry_hash && head.seal === last.seal ? undefined : { sequence: head.sequence, how: 'changed' };
  const [next] = await queries.query('SELECT 1 FROM memory_log WHERE tenant_id = $1 AND run_id = $2 AND sequence = $3', [tenantId, runId, expected]);
  return next === undefined ? { sequence: expected, how: 'cut' } : undefined;
}
