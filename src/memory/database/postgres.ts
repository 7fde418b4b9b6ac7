import type Postgres from 'pg';
import { MemoryError } from '../errors.js';
import type { Database, Dialect, OpenDatabase, Queries, Value } from './database.js';
import { postgresTables, tablesVersion } from './postgres-tables.js';

/** Held while tables are made, so that processes that start together make them once. */
const tablesLock = 7_316_548_201;
const undefinedTable = '42P01';
const uniqueViolation = '23505';
/** data_corrupted, index_corrupted, and bytes that are no text. */
const unreadable = ['XX001', 'XX002', '22021'];

/** Opens a PostgreSQL database and makes the tables in the schema that its search path names first. */
export async function openPostgres(url: string, { create }: OpenDatabase): Promise<Database> {
  const pg = await loadPg();
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'packhost',
    // Sequences and sizes are far below 2^53.
    types: { getTypeParser: (type, format) => (type === pg.types.builtins.INT8 ? Number : (pg.types.getTypeParser(type, format) as (text: string) => unknown)) },
  });
  // A connection that breaks while it idles is replaced; what it was needed for next would tell.
  pool.on('error', () => undefined);
  try {
    await makeTables(pool, create);
    const { rowCount } = await pool.query(`SELECT 1 FROM pg_extension WHERE extname = 'vector'`);
    return new PostgresDatabase(pool, postgresDialect(rowCount === 1));
  } catch (error) {
    await pool.end();
    if (error instanceof MemoryError) throw error;
    throw new MemoryError('unusable-database', `Cannot use the PostgreSQL database: ${(error as Error).message}`, { cause: error });
  }
}

async function loadPg(): Promise<typeof Postgres> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw new MemoryError('engine-missing', `PostgreSQL needs the package pg, which cannot be loaded here: ${(error as Error).message}`, { cause: error });
  }
}

async function tablesOf(client: Postgres.Pool | Postgres.PoolClient): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>('SELECT version FROM memory_tables');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (codeOf(error) === undefinedTable) return 0;
    throw error;
  }
}

async function makeTables(pool: Postgres.Pool, create: boolean): Promise<void> {
  const version = await tablesOf(pool);
  if (version > tablesVersion) throw new MemoryError('unusable-database', `The database was written by a later version (tables ${version}, this one knows ${tablesVersion})`);
  if (version === tablesVersion) return;
  if (!create) throw new MemoryError('unusable-database', 'There is no memory in the PostgreSQL database');
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [tablesLock]);
    // Another process may have made them while this one waited. Several statements at once are one transaction.
    if ((await tablesOf(client)) === 0) await client.query(postgresTables);
    await client.query('SELECT pg_advisory_unlock($1)', [tablesLock]);
  } finally {
    client.release();
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

class PostgresDatabase implements Database {
  readonly dialect: Dialect;
  readonly #pool: Postgres.Pool;

  constructor(pool: Postgres.Pool, dialect: Dialect) {
    this.#pool = pool;
    this.dialect = dialect;
  }

  query<Row>(sql: string, values?: readonly Value[]): Promise<Row[]> {
    this.#mustBeOpen();
    return run<Row>(this.#pool, sql, values);
  }

  insert<Row extends object>(table: string, rows: readonly Row[]): Promise<void> {
    this.#mustBeOpen();
    return insert(this.#pool, table, rows);
  }

  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    // A connection that breaks between two statements would otherwise end the process.
    const onError = (error: Error): void => void (broken = error);
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      const result = await work({ query: (sql, values) => run(client, sql, values), insert: (table, rows) => insert(client, table, rows) });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // A connection that cannot even roll back is not used again.
      await client.query('ROLLBACK').catch((failed: Error) => (broken = failed));
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  isDuplicate(error: unknown): boolean {
    return codeOf(error) === uniqueViolation;
  }

  isUnreadable(error: unknown): boolean {
    return unreadable.includes(String(codeOf(error)));
  }

  async size(): Promise<number> {
    const [row] = await this.query<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
    return row?.bytes ?? 0;
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  #mustBeOpen(): void {
    if (this.#pool.ending) throw new MemoryError('closed', 'The memory is closed');
  }
}

type Client = Postgres.Pool | Postgres.PoolClient;

async function run<Row>(client: Client, sql: string, values: readonly Value[] = []): Promise<Row[]> {
  const { rows } = await client.query<Row & Postgres.QueryResultRow>(sql, values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)));
  return rows;
}

/** All rows go as one JSON text: one statement and one parameter, however many there are. */
async function insert(client: Client, table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).join(', ');
  await client.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`, [JSON.stringify(rows)]);
}

/** What PostgreSQL does in its own way; pgvector computes distances where the database has it. */
function postgresDialect(hasPgvector: boolean): Dialect {
  return {
    engine: 'postgres',
    forUpdate: ' FOR UPDATE',
    lock: async (queries, key) => void (await queries.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key])),
    oneOf: (column, parameter) => `${column} IN (SELECT json_array_elements_text(${parameter}::json))`,
    vector: (values) => [...values],
    fromVector: (column) => Float32Array.from(column as number[]),
    distance: hasPgvector ? (column, parameter) => `(${column}::vector <=> ${parameter}::real[]::vector)` : undefined,
    keywords: (words) => ({
      from: 'memory_facts f',
      match: (parameter) => `f.words_index @@ to_tsquery('simple', ${parameter})`,
      rank: (parameter) => `-ts_rank(f.words_index, to_tsquery('simple', ${parameter}))`,
      value: words.map((word) => `'${word}'`).join(' | '),
    }),
  };
}
