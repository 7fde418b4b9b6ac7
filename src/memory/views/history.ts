import type { Queries, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { entryColumns, type EntryRow } from '../log/entry-row.js';
import { recordOf, scopeConditions } from '../log/read.js';
import type { LogEntry } from '../records/log-entry.js';
import type { Scope } from '../records/scope.js';
import { checkScope } from '../records/validate.js';

/** The end of a thread's messages, or what came before an entry of it. */
export interface HistoryOptions {
  /** With its `threadId`. */
  readonly scope: Scope;
  /** At most so many of the last messages; 50 by default. */
  readonly limit?: number;
  /** Only messages before this one: the first of the page that comes after. */
  readonly before?: LogEntry;
}

/** What users, agents and the system said in a thread, in any of its runs, oldest first. */
export async function messageHistory(queries: Queries, { scope, limit = 50, before }: HistoryOptions): Promise<LogEntry[]> {
  checkScope(scope);
  if (scope.threadId === undefined) throw new MemoryError('invalid-argument', 'scope.threadId is required: a history is a thread\'s');
  const values: Value[] = [];
  const next = (value: Value): string => `$${values.push(value)}`;
  const conditions = [...scopeConditions(scope, next), `kind IN ('user-message', 'agent-message', 'system-message')`];
  if (before !== undefined) conditions.push(`(timestamp, run_id, sequence) < (${next(before.timestamp)}, ${next(before.runId)}, ${next(before.sequence)})`);
  const rows = await queries.query<EntryRow>(
    `SELECT ${entryColumns} FROM memory_log WHERE ${conditions.join(' AND ')} ORDER BY timestamp DESC, run_id DESC, sequence DESC LIMIT ${next(limit)}`, values,
  );
  return rows.reverse().map(recordOf);
}
