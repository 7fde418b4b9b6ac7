import type { Database } from '../database/database.js';
import type { Embedding } from '../facts/embedding.js';
import type { Fact } from '../records/fact.js';
import type { LogEntry } from '../records/log-entry.js';
import type { Scope } from '../records/scope.js';
import { type HistoryOptions, messageHistory } from './history.js';
import { recall, type RecalledFact, type RecallOptions } from './recall.js';
import { workingMemoryOf } from './working.js';

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
