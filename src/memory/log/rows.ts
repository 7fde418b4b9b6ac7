import type { Database, Value } from '../database/database.js';
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
 * held stays the same however long the chain and however large its entries. A page that cannot be read is
 * read again row by row, so that the error comes at the row that it is about.
 */
export async function* pagesOf(database: Database, { tenantId, runId, from = 0, conditions = [], values = [] }: RowFilter): AsyncGenerator<readonly EntryRow[]> {
  const where = ['tenant_id = $1', 'run_id = $2', 'sequence >= $3', ...conditions].join(' AND ');
  const sql = `SELECT ${entryColumns} FROM memory_log WHERE ${where} ORDER BY sequence LIMIT $${4 + values.length}`;
  let longest = most;
  for (let next = from, length = first; ; ) {
    let rows: readonly EntryRow[];
    try {
      rows = await database.query<EntryRow>(sql, [tenantId, runId, next, ...values, length]);
    } catch (error) {
      if (length === 1 || !database.isUnreadable(error)) throw error;
      length = longest = 1;
      continue;
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < length) return;
    next = last.sequence + 1;
    length = Math.min(longest, pageLength(rows));
  }
}

function pageLength(rows: readonly EntryRow[]): number {
  const bytes = rows.reduce((sum, { payload }) => sum + 1000 + (payload?.length ?? 0), 0);
  return Math.max(1, Math.min(most, rows.length * 4, Math.floor((bytesOfPage * rows.length) / bytes)));
}
