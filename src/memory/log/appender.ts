import type { Database } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { appendBatches, type Batch } from './append.js';
import type { EntryRow } from './entry-rows.js';

const mostEntries = 1000;
const mostTries = 5;

interface Waiting {
  readonly batch: Batch;
  readonly resolve: (rows: readonly EntryRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits what is waiting together: while one transaction is on its way to the disk, the appends that
 * come meanwhile gather for the next. Each is acknowledged once it is on the disk.
 */
export class Appender {
  readonly #database: Database;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  append(batch: Batch): Promise<readonly EntryRow[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once everything that was waiting has been settled. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // What is appended in the same turn goes together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#take());
    this.#running = undefined;
  }

  #take(): Waiting[] {
    let entries = 0;
    const fits = this.#waiting.findIndex(({ batch }) => (entries += batch.length) > mostEntries);
    // One batch may be larger than that by itself.
    return this.#waiting.splice(0, fits === -1 ? this.#waiting.length : Math.max(1, fits));
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#tryCommit(group.map(({ batch }) => batch), mostTries);
      for (const [at, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[at];
        if (outcome === undefined || outcome instanceof MemoryError) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** Another process may have taken an id between the look and the insert: a second look says so. */
  async #tryCommit(batches: readonly Batch[], tries: number): ReturnType<typeof appendBatches> {
    try {
      return await this.#database.transaction((queries) => appendBatches(this.#database, queries, batches, this.#now));
    } catch (error) {
      if (tries > 1 && this.#database.isDuplicate(error)) return this.#tryCommit(batches, tries - 1);
      throw error;
    }
  }
}
