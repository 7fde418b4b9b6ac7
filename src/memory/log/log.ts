import type { Database } from '../database/database.js';
import type { LogEntry, NewLogEntry } from '../records/log-entry.js';
import { prepareEntry } from './append.js';
import { Appender } from './appender.js';
import { entryOf } from './entry-rows.js';
import { type Head, headsOf } from './head.js';
import { exportLines, type Imported, importLines } from './json-lines.js';
import { readEntries, type ReadOptions } from './read.js';
import type { Selection } from './selection.js';
import { type Verification, verifyChains, type VerifyOptions } from './verify.js';

/** The log: one chain of entries per tenant and run, to which entries are only ever appended. */
export class Log {
  readonly #database: Database;
  readonly #appender: Appender;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#appender = new Appender(database, now);
  }

  /**
   * Appends an entry at the end of its run, and resolves with its record once it is on the disk. Rejects
   * with InvalidRecord, or MemoryError `duplicate-id` or `unknown-cause`.
   */
  async append(entry: NewLogEntry): Promise<LogEntry> {
    const [record] = await this.appendAll([entry]);
    if (record === undefined) throw new Error('an append answered no record');
    return record;
  }

  /** Appends entries in one transaction: all of them, in this order, or none. They may be of several runs. */
  async appendAll(entries: readonly NewLogEntry[]): Promise<LogEntry[]> {
    if (entries.length === 0) return [];
    return (await this.#appender.append(entries.map(prepareEntry))).map(entryOf);
  }

  /** The entries of a run by sequence, from a sequence on, by kind, by time, by scope. */
  read(options: ReadOptions): AsyncGenerator<LogEntry, void, undefined> {
    return readEntries(this.#database, options);
  }

  /** Walks one chain, a tenant's, or everybody's, and names the first broken entry of each. */
  verify(selection: Selection, options?: VerifyOptions): Promise<Verification> {
    return verifyChains(this.#database, selection, options);
  }

  /** The ends of chains, to be kept elsewhere (`signHeads`) and given to `verify`. */
  heads(selection: Selection): AsyncGenerator<Head> {
    return headsOf(this.#database, selection);
  }

  /** The chains as JSON Lines; throws MemoryError `broken-chain` at the first break. */
  export(selection: Selection): AsyncGenerator<string, void, undefined> {
    return exportLines(this.#database, selection);
  }

  /** Takes in what `export` wrote: all of it or nothing. */
  import(lines: AsyncIterable<string> | Iterable<string>): Promise<Imported> {
    return importLines(this.#database, lines);
  }

  /** Resolves once every append that was asked for is settled. */
  settled(): Promise<void> {
    return this.#appender.settled();
  }
}
