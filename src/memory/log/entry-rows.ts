import type { Database, Value } from '../database/database.js';
import type { LogEntry, LogEntryKind } from '../records/log-entry.js';
import { scopeOf, type ScopeRow } from '../records/scope.js';

/** An entry as the table `memory_log` holds it; `payload` is canonical JSON. */
export interface EntryRow extends ScopeRow {
  readonly run_id: string;
  readonly sequence: number;
  readonly id: string;
  readonly kind: string;
  readonly actor: string | null;
  readonly timestamp: string;
  readonly payload: string | null;
  readonly content_hash: string | null;
  readonly caused_by: string | null;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly seal: string;
}

export const entryColumns =
  'tenant_id, run_id, sequence, id, kind, actor, timestamp, user_id, org_id, project_id, thread_id, session_id, payload, content_hash, caused_by, prev_hash, entry_hash, seal';

/** The record of a row. */
export function entryOf(row: EntryRow): LogEntry {
  return {
    id: row.id,
    kind: row.kind as LogEntryKind,
    scope: scopeOf(row),
    runId: row.run_id,
    ...(row.actor === null ? {} : { actor: row.actor }),
    timestamp: row.timestamp,
    sequence: row.sequence,
    ...(row.payload === null ? {} : { payload: JSON.parse(row.payload) as unknown }),
    ...(row.content_hash === null ? {} : { contentHash: row.content_hash }),
    prevHash: row.prev_hash,
    entryHash: row.entry_hash,
    ...(row.caused_by === null ? {} : { causedByLogId: row.caused_by }),
  };
}

/** How long the first page is, how long any, and what one may hold. */
const firstLength = 16;
const longestLength = 500;
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
  let longest = longestLength;
  for (let next = from, length = firstLength; ; ) {
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
  return Math.max(1, Math.min(longestLength, rows.length * 4, Math.floor((bytesOfPage * rows.length) / bytes)));
}
