import type { Database, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { type LogEntry, type LogEntryKind, logEntryKinds } from '../records/log-entry.js';
import { type Scope, scopeColumns } from '../records/scope.js';
import { checkLogEntry, checkScope } from '../records/validate.js';
import { entryOf, type EntryRow, pagesOf } from './entry-rows.js';

/** Which entries of a run to read. */
export interface ReadOptions {
  readonly tenantId: string;
  readonly runId: string;
  /** The first sequence; 0 by default. */
  readonly from?: number;
  readonly kinds?: readonly LogEntryKind[];
  /** ISO 8601; entries of that time or later. */
  readonly since?: string;
  /** ISO 8601; entries before that time. */
  readonly until?: string;
  /** Only entries with these scope fields. */
  readonly scope?: Partial<Scope>;
  /** At most so many; all by default. */
  readonly limit?: number;
}

/** The entries of a run by sequence. Throws InvalidRecord for options that are none, and for a row that is no record. */
export async function* readEntries(database: Database, options: ReadOptions): AsyncGenerator<LogEntry, void, undefined> {
  const { tenantId, runId, from = 0, limit = Infinity } = options;
  checkScope({ ...options.scope, tenantId });
  if (typeof runId !== 'string') throw new MemoryError('invalid-argument', 'runId is required');
  const values: Value[] = [];
  const next = (value: Value): string => `$${3 + values.push(value)}`;
  const conditions = [...scopeConditions({ ...options.scope, tenantId }, next)];
  if (options.kinds !== undefined) conditions.push(`kind IN (${options.kinds.map(kindOf).map(next).join(', ')})`);
  if (options.since !== undefined) conditions.push(`timestamp >= ${next(timeOf(options.since, 'since'))}`);
  if (options.until !== undefined) conditions.push(`timestamp < ${next(timeOf(options.until, 'until'))}`);
  let left = limit;
  for await (const rows of pagesOf(database, { tenantId, runId, from, conditions, values })) {
    for (const row of rows) {
      if (left-- <= 0) return;
      yield recordOf(row);
    }
  }
}

/** A row as the record it is; one that somebody broke is refused by its place. */
export function recordOf(row: EntryRow): LogEntry {
  try {
    const entry = entryOf(row);
    checkLogEntry(entry);
    return entry;
  } catch (error) {
    throw new MemoryError('broken-chain', `Entry ${row.sequence} of run ${row.run_id} of tenant ${row.tenant_id} is no record: ${(error as Error).message}`, { cause: error });
  }
}

/** Conditions that hold a query within a scope: each field that is given must be the row's. */
export function scopeConditions(scope: Scope, next: (value: Value) => string, table = ''): string[] {
  return scopeColumns.flatMap(([field, column]) => (scope[field] === undefined ? [] : [`${table}${column} = ${next(scope[field])}`]));
}

function kindOf(kind: LogEntryKind): LogEntryKind {
  if (!logEntryKinds.includes(kind)) throw new MemoryError('invalid-argument', `kinds: ${kind} is none of ${logEntryKinds.join(', ')}`);
  return kind;
}

/** Timestamps are compared as text, so they must be written alike. */
function timeOf(text: string, option: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new MemoryError('invalid-argument', `${option} must be a time in ISO 8601, not ${text}`);
  return time.toISOString();
}
