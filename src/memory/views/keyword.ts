import type { Database, Value } from '../database/database.js';
import { type FactRow, factColumns } from '../facts/fact-row.js';
import { wordsOf } from '../facts/words.js';
import type { Filter } from './recall.js';

/** What a query may hold: beyond it neither database takes a search. */
const mostWords = 64;
const longestWord = 500;

/** The facts that have any of a query's words, ranked by the database's own text search. */
export async function byKeyword(database: Database, query: string, { conditions, limit }: Filter): Promise<FactRow[]> {
  const words = [...new Set(wordsOf(query))].filter((word) => word.length <= longestWord).slice(0, mostWords);
  if (words.length === 0) return [];
  const { from, match, rank, value } = database.dialect.keywords(words);
  const values: Value[] = [value];
  const next = (given: Value): string => `$${values.push(given)}`;
  const where = [match('$1'), ...conditions(next)].join(' AND ');
  return database.query<FactRow>(`SELECT ${factColumns} FROM ${from} WHERE ${where} ORDER BY ${rank('$1')}, f.fact_row LIMIT ${next(limit)}`, values);
}
