import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { MemoryError } from '../errors.js';
import type { Database, Dialect, OpenDatabase, Queries, Value } from './database.js';
import { sqliteTables, tablesVersion } from './sqlite-tables.js';

const patienceMs = 30_000;

/** Opens a SQLite file in WAL mode, with every commit on the disk before it is acknowledged. */
export async function openSqlite(file: string, { create }: OpenDatabase): Promise<Database> {
  const open = await loadSqlite();
  let sqlite: Sqlite.Database;
  try {
    // SQLite's own waiting would stop this thread: it is kept short, and the rest of the patience sleeps.
    sqlite = open(file, { fileMustExist: !create, timeout: 20 });
  } catch (error) {
    throw new MemoryError('unusable-database', `Cannot open the SQLite database ${file}: ${create ? (error as Error).message : 'there is no such file'}`, { cause: error });
  }
  try {
    await patiently(() => sqlite.pragma('journal_mode = WAL'));
    sqlite.pragma('synchronous = FULL');
    // 16 MiB rather than 2: the upper parts of all indexes stay at hand.
    sqlite.pragma('cache_size = -16384');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('trusted_schema = OFF');
    await patiently(() => makeTables(sqlite, file));
    return new SqliteDatabase(sqlite, await sqliteDialect(sqlite));
  } catch (error) {
    sqlite.close();
    if (error instanceof MemoryError) throw error;
    throw new MemoryError('unusable-database', `Cannot use the SQLite database ${file}: ${(error as Error).message}`, { cause: error });
  }
}

async function loadSqlite(): Promise<(file: string, options: Sqlite.Options) => Sqlite.Database> {
  try {
    const { default: Constructor } = await import('better-sqlite3');
    // The binary, which may be missing, or another Node's, is loaded only now.
    new Constructor(':memory:').close();
    return (file, options) => new Constructor(file, options);
  } catch (error) {
    throw new MemoryError('engine-missing', `SQLite needs the package better-sqlite3 12, which cannot be loaded here: ${firstLine(error)}`, { cause: error });
  }
}

function makeTables(sqlite: Sqlite.Database, file: string): void {
  const versionNow = (): number => sqlite.pragma('user_version', { simple: true }) as number;
  if (versionNow() > tablesVersion) throw new MemoryError('unusable-database', `${file} was written by a later version (tables ${versionNow()}, this one knows ${tablesVersion})`);
  if (versionNow() === tablesVersion) return;
  sqlite.transaction(() => {
    // Another process may have made them while this one waited.
    if (versionNow() === tablesVersion) return;
    if (sqlite.prepare('SELECT count(*) FROM sqlite_master').pluck().get() !== 0) throw new MemoryError('unusable-database', `${file} holds another application's tables`);
    sqlite.exec(sqliteTables);
  }).immediate();
}

/** Tries again while another process holds the file; the thread goes on meanwhile. */
async function patiently<T>(work: () => T): Promise<T> {
  for (const end = Date.now() + patienceMs; ; await sleep(randomInt(1, 15))) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > end) throw new MemoryError('busy', `Other writers held the database for ${patienceMs / 1000} s`, { cause: error });
    }
  }
}

/** better-sqlite3 tells every place where it has looked for its binary. */
const firstLine = (error: unknown): string => (error as Error).message.split('\n')[0] ?? '';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY');

/** One connection: what is asked for while a transaction is open waits for its end. */
class SqliteDatabase implements Database {
  readonly dialect: Dialect;
  readonly #sqlite: Sqlite.Database;
  readonly #turns = new OneAtATime();
  readonly #statements = new Map<string, (values: readonly Value[]) => unknown[]>();

  constructor(sqlite: Sqlite.Database, dialect: Dialect) {
    this.#sqlite = sqlite;
    this.dialect = dialect;
  }

  query<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#turns.run(() => patiently(() => this.#run<Row>(sql, values)));
  }

  insert<Row extends object>(table: string, rows: readonly Row[]): Promise<void> {
    return this.transaction((queries) => queries.insert(table, rows));
  }

  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const queries: Queries = {
      query: async <Row>(sql: string, values: readonly Value[] = []) => this.#run<Row>(sql, values),
      insert: async (table, rows) => this.#insert(table, rows),
    };
    return this.#turns.run(async () => {
      this.#mustBeOpen();
      await patiently(() => this.#sqlite.exec('BEGIN IMMEDIATE'));
      try {
        const result = await work(queries);
        this.#sqlite.exec('COMMIT');
        return result;
      } catch (error) {
        // A full disk has SQLite roll back by itself.
        if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK');
        throw error;
      }
    });
  }

  isDuplicate(error: unknown): boolean {
    return ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error));
  }

  isUnreadable(error: unknown): boolean {
    return codeOf(error).startsWith('SQLITE_CORRUPT');
  }

  async size(): Promise<number> {
    const [row] = await this.query<{ bytes: number }>('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
    return row?.bytes ?? 0;
  }

  /** Takes the write-ahead log into the file, so that the file alone is the whole memory. */
  close(): Promise<void> {
    return this.#turns.run(async () => {
      if (!this.#sqlite.open) return;
      this.#sqlite.pragma('wal_checkpoint(TRUNCATE)');
      this.#sqlite.close();
    });
  }

  #run<Row>(sql: string, values: readonly Value[]): Row[] {
    this.#mustBeOpen();
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#prepare(sql)));
    return statement(values) as Row[];
  }

  /** better-sqlite3 takes numbered parameters for named ones: they are turned into a list in the order of the text. */
  #prepare(sql: string): (values: readonly Value[]) => unknown[] {
    const order: number[] = [];
    const prepared = this.#sqlite.prepare(sql.replace(/\$(\d+)/g, (_, number: string) => (order.push(Number(number) - 1), '?')));
    const inOrder = (values: readonly Value[]) => order.map((at) => values[at] ?? null);
    if (prepared.reader) {
      // Arrays, made into rows here, come over from SQLite twice as fast as objects.
      const names = prepared.columns().map(({ name }) => name);
      const all = prepared.raw() as unknown as Sqlite.Statement<unknown[], Value[]>;
      return (values) => all.all(...inOrder(values)).map((cells) => rowOf(names, cells));
    }
    return (values) => (prepared.run(...inOrder(values)), []);
  }

  #insert(table: string, rows: readonly object[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`;
    for (const row of rows) this.#run(sql, Object.values(row) as Value[]);
  }

  #mustBeOpen(): void {
    if (!this.#sqlite.open) throw new MemoryError('closed', 'The memory is closed');
  }
}

function rowOf(names: readonly string[], cells: readonly Value[]): Record<string, Value> {
  const row: Record<string, Value> = {};
  for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = cells[at] ?? null;
  return row;
}

/** What SQLite does in its own way; sqlite-vec computes distances where it is installed. */
async function sqliteDialect(sqlite: Sqlite.Database): Promise<Dialect> {
  return {
    engine: 'sqlite',
    // A transaction is the only writer from its beginning.
    forUpdate: '',
    lock: async () => undefined,
    oneOf: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
    vector: (values) => Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    fromVector: (column) => fromBytes(column as Uint8Array),
    distance: (await loadVectors(sqlite)) ? (column, parameter) => `vec_distance_cosine(${column}, ${parameter})` : undefined,
    keywords: (words) => ({
      from: 'memory_fact_words JOIN memory_facts f ON f.fact_row = memory_fact_words.rowid',
      match: (parameter) => `memory_fact_words MATCH ${parameter}`,
      rank: () => 'memory_fact_words.rank',
      value: words.map((word) => `"${word}"`).join(' OR '),
    }),
  };
}

async function loadVectors(sqlite: Sqlite.Database): Promise<boolean> {
  try {
    const { getLoadablePath } = await import('sqlite-vec');
    sqlite.loadExtension(getLoadablePath());
    return true;
  } catch {
    // Not installed, or not made for this platform: distances are then computed here.
    return false;
  }
}

/** A copy, since the bytes may stand anywhere, and floats must not. */
function fromBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

/** Runs what it is given one after the other, in the order it came. */
class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
