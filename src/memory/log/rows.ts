import type { Queries, Value } from '../database/database.js';
import { entryColumns, type EntryRow } from './entry-row.js';

const first = 16;
const most = 500;
const bytesOfPage = 4 * 1024 * 1024;

/** Which entries of one chain. */
export interface RowFilter {
  readonly tenantId: string;
  readonly runId: string;
  readonly from?: number;
  /** Further conditions, whose parameters start at `$4`. */
  readonly conditions?: readonly string[];
  readonly values?: readonly Value[];
}

/**
 * The rows of a chain by sequence, a page at a time. A page is as long as its payloads allow: what is
 * held stays the same however long the chain and however large its entries.
 */
export async function* pagesOf(queries: Queries, { tenantId, runId, from = 0, conditions = [], values = [] }: RowFilter): AsyncGenerator<readonly EntryRow[]> {
  const where = ['tenant_id = $1', 'run_id = $2', 'sequence >= $3', ...conditions].join(' AND ');
  for (let next = from, length = first; ; ) {
    const limit = `$${4 + values.length}`;
    const rows = await queries.query<EntryRow>(`SELECT ${entryColumns} FROM memory_log WHERE ${where} ORDER BY sequence LIMIT ${limit}`, [tenantId, runId, next, ...values, length]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < length) return;
    next = last.sequence + 1;
    length = pageLength(rows);
  }
}

function pageLength(rows: readonly EntryRow[]): number {
  const bytes = rows.reduce((sum, { payload }) => sum + 1000 + (payload?.length ?? 0), 0);
  return Math.max(1, Math.min(most, rows.length * 4, Math.floor((bytesOfPage * rows.length) / bytes)));
}
