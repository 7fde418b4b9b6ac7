import type Sqlite from 'better-sqlite3';
import type { Dialect } from './database.js';

/** What SQLite does in its own way; sqlite-vec computes distances where it is installed. */
export async function sqliteDialect(sqlite: Sqlite.Database): Promise<Dialect> {
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
