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
