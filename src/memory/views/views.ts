import type { Database, Queries, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { factColumns, factOf, type FactRow } from '../facts/fact-row.js';
import type { Embedding } from '../facts/searchable.js';
import { entryColumns, type EntryRow } from '../log/entry-rows.js';
import { recordOf, scopeConditions } from '../log/read.js';
import type { Fact } from '../records/fact.js';
import type { LogEntry } from '../records/log-entry.js';
import type { Scope } from '../records/scope.js';
import { checkScope } from '../records/validate.js';
import { recall, type RecalledFact, type RecallOptions } from './recall.js';

/** Queries over the log and the facts, each within a scope. */
export class Views {
  readonly #database: Database;
  readonly #embedding: Embedding | undefined;

  constructor(database: Database, embedding: Embedding | undefined) {
    this.#database = database;
    this.#embedding = embedding;
  }

  /** The last messages of a thread, oldest first. */
  history(options: HistoryOptions): Promise<LogEntry[]> {
    return messageHistory(this.#database, options);
  }

  /** The working memory of a run: facts of the type `working-memory` that its entries have caused. */
  working(options: { readonly scope: Scope; readonly runId: string }): Promise<Fact[]> {
    return workingMemoryOf(this.#database, options);
  }

  /** Facts by keyword, by meaning, or by both fused; blobs are not fetched. */
  recall(options: RecallOptions): Promise<RecalledFact[]> {
    return recall(this.#database, this.#embedding, options);
  }
}

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
async function messageHistory(queries: Queries, { scope, limit = 50, before }: HistoryOptions): Promise<LogEntry[]> {
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

/** The type of fact that is working memory. */
const workingMemory = 'working-memory';

/** The latest versions of the working-memory facts that entries of a run have caused, in the order they were written. */
async function workingMemoryOf(queries: Queries, { scope, runId }: { readonly scope: Scope; readonly runId: string }): Promise<Fact[]> {
  checkScope(scope);
  if (typeof runId !== 'string') throw new MemoryError('invalid-argument', 'runId is required');
  const values: Value[] = [];
  const next = (value: Value): string => `$${values.push(value)}`;
  const conditions = [`r.tenant_id = ${next(scope.tenantId)}`, `r.run_id = ${next(runId)}`, ...scopeConditions(scope, next, 'f.'), 'f.latest = 1', `f.type = ${next(workingMemory)}`];
  const rows = await queries.query<FactRow>(`SELECT ${factColumns} FROM memory_fact_runs r JOIN memory_facts f ON f.fact_row = r.fact_row WHERE ${conditions.join(' AND ')} ORDER BY f.fact_row`, values);
  return rows.map(factOf);
}
