/** What a column holds. Times are ISO 8601 text and truths 0 or 1, so that both engines agree. */
export type Value = string | number | null | Uint8Array | readonly number[];

/** Statements: `$1` stands for the first value. They are written in what SQLite and PostgreSQL share. */
export interface Queries {
  query<Row = unknown>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** Inserts rows of one shape into a table. */
  insert<Row extends object>(table: string, rows: readonly Row[]): Promise<void>;
}

/** What the engines do each in its own way. */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres';
  /** Ends a SELECT whose rows no other transaction may change until this one ends. */
  readonly forUpdate: string;
  /** Lets one transaction at a time go on with a key, until it ends. */
  readonly lock: (queries: Queries, key: string) => Promise<void>;
  /** Whether a column is in the JSON array of texts that the parameter holds. */
  readonly oneOf: (column: string, parameter: string) => string;
  /** A vector as a column holds it. */
  readonly vector: (values: Float32Array) => Value;
  readonly fromVector: (column: unknown) => Float32Array;
  /** SQL of the cosine distance between a column and a parameter, where the database computes it. */
  readonly distance: ((column: string, parameter: string) => string) | undefined;
  readonly keywords: (words: readonly string[]) => KeywordSearch;
}

/** The parts of a query for facts that have any of some words. */
export interface KeywordSearch {
  /** The tables, the facts among them as `f`. */
  readonly from: string;
  readonly match: (parameter: string) => string;
  /** Least is best. */
  readonly rank: (parameter: string) => string;
  /** What the parameter holds. */
  readonly value: string;
}

/** One database, whichever its engine. */
export interface Database extends Queries {
  readonly dialect: Dialect;
  /** Writes all of what `work` does, or none of it. `work` must use what it is given, and wait for nothing else. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Whether an error says that another writer was first with a key that is unique. */
  isDuplicate(error: unknown): boolean;
  /** Whether an error says that what is stored cannot be read: that the file itself was changed. */
  isUnreadable(error: unknown): boolean;
  /** Bytes that the database takes. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** How a database is opened. */
export interface OpenDatabase {
  /** Whether a database that is not there is made. */
  readonly create: boolean;
}
