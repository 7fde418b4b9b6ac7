import type { Dialect } from './database.js';

/** What PostgreSQL does in its own way; pgvector computes distances where the database has it. */
export function postgresDialect(hasPgvector: boolean): Dialect {
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
