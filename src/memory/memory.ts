import { type BlobStore, FolderStore, TableStore } from './blobs/blob-store.js';
import { Contents } from './blobs/contents.js';
import type { Database, OpenDatabase } from './database/database.js';
import { MemoryError } from './errors.js';
import { Facts } from './facts/facts.js';
import type { RefreshHandler } from './facts/refresh.js';
import type { Embedding } from './facts/searchable.js';
import { Log } from './log/log.js';
import type { Selection } from './log/selection.js';
import { type MemoryStats, statsOf } from './stats.js';
import { Views } from './views/views.js';

/** What a memory may be opened with. */
export interface MemoryOptions {
  /** Whether a database that is not there is made; it is by default. */
  readonly create?: boolean;
  /** A folder, or a store, for contents above 64 KiB. By default FILE-blobs beside a SQLite file, else a table of the database. */
  readonly blobs?: string | BlobStore;
  /** What makes vectors of texts, for recall by meaning. */
  readonly embedding?: Embedding;
  /** What asks the sources of facts, by the names that `source.refresh.handler` gives. */
  readonly refresh?: Readonly<Record<string, RefreshHandler>>;
  /** How long a source may take, in milliseconds; 30000 by default. */
  readonly refreshTimeoutMs?: number;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A log, facts, and views of both, in one database. */
export interface Memory {
  readonly log: Log;
  readonly facts: Facts;
  readonly views: Views;
  /** How much there is. */
  stats(selection: Selection): Promise<MemoryStats>;
  /** Waits for what was asked for, and lets go of the database; a SQLite file then is the whole of it. May be called twice. */
  close(): Promise<void>;
}

/**
 * Opens a memory at `sqlite:FILE`, `postgres://…` or `:memory:`, and makes its tables when there are none.
 * Rejects with MemoryError: `invalid-argument`, `engine-missing` or `unusable-database`.
 */
export async function openMemory(url: string, options: MemoryOptions = {}): Promise<Memory> {
  const { create = true, embedding, refresh = {}, refreshTimeoutMs = 30_000, now = Date.now } = options;
  const database = await openDatabase(url, { create });
  const log = new Log(database, now);
  const facts = new Facts({ database, contents: new Contents(blobStore(url, database, options.blobs, now)), embedding, now }, refresh, refreshTimeoutMs);
  return {
    log,
    facts,
    views: new Views(database, embedding),
    stats: (selection) => statsOf(database, selection),
    close: async () => {
      await log.settled();
      await database.close();
    },
  };
}

/** An engine's package is loaded only by those who use it. */
async function openDatabase(url: string, options: OpenDatabase): Promise<Database> {
  if (url === ':memory:' || url.startsWith('sqlite:')) {
    const file = url === ':memory:' ? url : url.slice('sqlite:'.length);
    if (file === '') throw new MemoryError('invalid-argument', 'sqlite: wants a file after the colon');
    return (await import('./database/sqlite.js')).openSqlite(file, options);
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import('./database/postgres.js')).openPostgres(url, options);
  // The URL may hold a password: it is never repeated.
  throw new MemoryError('invalid-argument', 'A memory is opened by sqlite:FILE, postgres://… or :memory:');
}

function blobStore(url: string, database: Database, given: MemoryOptions['blobs'], now: () => number): BlobStore {
  if (typeof given === 'object') return given;
  if (given !== undefined) return new FolderStore(given);
  return url.startsWith('sqlite:') ? new FolderStore(`${url.slice('sqlite:'.length)}-blobs`) : new TableStore(database, now);
}
