import type { Database, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { factColumns, factOf, type FactRow } from '../facts/fact-row.js';
import { type Embedding, vectorOf, wordsOf } from '../facts/searchable.js';
import { scopeConditions } from '../log/read.js';
import type { Fact } from '../records/fact.js';
import type { Scope } from '../records/scope.js';
import { checkScope } from '../records/validate.js';

/** What to recall: facts whose scope has all the fields given, the best first. */
export interface RecallOptions {
  readonly scope: Scope;
  readonly query: string;
  readonly type?: string;
  /** At most so many; 10 by default. */
  readonly limit?: number;
  /** `both` when the memory was opened with an embedding function, else `keyword`. */
  readonly by?: 'keyword' | 'meaning' | 'both';
}

/** A fact that was recalled; a higher score is better, and only comparable within one answer. */
export interface RecalledFact {
  readonly fact: Fact;
  readonly score: number;
}

/** The condition that every search runs under: filtered first, limited after. */
interface Filter {
  readonly conditions: (next: (value: Value) => string) => string[];
  readonly limit: number;
}

/** The latest versions of the facts that fit a query by their words, their meaning, or both. */
export async function recall(database: Database, embedding: Embedding | undefined, options: RecallOptions): Promise<RecalledFact[]> {
  const { scope, query, type, limit = 10, by = embedding === undefined ? 'keyword' : 'both' } = options;
  checkScope(scope);
  if (typeof query !== 'string') throw new MemoryError('invalid-argument', 'query is required');
  if (by !== 'keyword' && embedding === undefined) throw new MemoryError('no-embedding', 'Recall by meaning needs a memory that was opened with an embedding function');
  const conditions: Filter['conditions'] = (next) => ['f.latest = 1', ...scopeConditions(scope, next, 'f.'), ...(type === undefined ? [] : [`f.type = ${next(type)}`])];
  // Two lists are fused from more than the answer holds: what is tenth in both can be first in all.
  const filter = { conditions, limit: by === 'both' ? Math.max(50, limit * 4) : limit };
  const lists: FactRow[][] = [];
  if (by !== 'meaning') lists.push(await byKeyword(database, query, filter));
  if (by !== 'keyword' && embedding !== undefined) lists.push(await byMeaning(database, embedding, query, filter));
  return fuse(lists, ({ fact_row }) => fact_row).slice(0, limit).map(({ item, score }) => ({ fact: factOf(item), score }));
}

/** What a query may hold: beyond it neither database takes a search. */
const mostWords = 64;
const longestWord = 500;

/** The facts that have any of a query's words, ranked by the database's own text search. */
async function byKeyword(database: Database, query: string, { conditions, limit }: Filter): Promise<FactRow[]> {
  const words = [...new Set(wordsOf(query))].filter((word) => word.length <= longestWord).slice(0, mostWords);
  if (words.length === 0) return [];
  const { from, match, rank, value } = database.dialect.keywords(words);
  const values: Value[] = [value];
  const next = (given: Value): string => `$${values.push(given)}`;
  const where = [match('$1'), ...conditions(next)].join(' AND ');
  return database.query<FactRow>(`SELECT ${factColumns} FROM ${from} WHERE ${where} ORDER BY ${rank('$1')}, f.fact_row LIMIT ${next(limit)}`, values);
}

const pageSize = 500;

/** The facts whose vectors are nearest to the query's, by cosine distance: in the database where it can, else here. Both are exact. */
async function byMeaning(database: Database, embedding: Embedding, query: string, filter: Filter): Promise<FactRow[]> {
  const vector = await vectorOf(embedding, query);
  const { distance, vector: valueOf } = database.dialect;
  if (distance === undefined) return nearest(database, embedding.model, vector, filter);
  const values: Value[] = [valueOf(vector)];
  const { where, next } = conditionsOf(filter, embedding.model, values);
  return database.query<FactRow>(`SELECT ${factColumns} FROM memory_facts f WHERE ${where} ORDER BY ${distance('f.embedding', '$1')}, f.fact_row LIMIT ${next(filter.limit)}`, values);
}

function conditionsOf({ conditions }: Filter, model: string, values: Value[]): { readonly where: string; readonly next: (value: Value) => string } {
  const next = (value: Value): string => `$${values.push(value)}`;
  return { where: [...conditions(next), 'f.embedding IS NOT NULL', `f.embedding_model = ${next(model)}`].join(' AND '), next };
}

/** Compares every vector within the filter, a page at a time. */
async function nearest(database: Database, model: string, vector: Float32Array, filter: Filter): Promise<FactRow[]> {
  const values: Value[] = [0];
  const { where } = conditionsOf(filter, model, values);
  let best: { readonly fact_row: number; readonly distance: number }[] = [];
  for (;;) {
    const rows = await database.query<{ fact_row: number; embedding: unknown }>(`SELECT f.fact_row, f.embedding FROM memory_facts f WHERE f.fact_row > $1 AND ${where} ORDER BY f.fact_row LIMIT ${pageSize}`, values);
    best.push(...rows.map(({ fact_row, embedding }) => ({ fact_row, distance: 1 - dot(vector, database.dialect.fromVector(embedding)) })));
    best = best.sort((one, other) => one.distance - other.distance || one.fact_row - other.fact_row).slice(0, filter.limit);
    if (rows.length < pageSize) break;
    values[0] = rows.at(-1)?.fact_row ?? 0;
  }
  const found: FactRow[] = [];
  for (const { fact_row } of best) found.push(...(await database.query<FactRow>(`SELECT ${factColumns} FROM memory_facts f WHERE f.fact_row = $1`, [fact_row])));
  return found;
}

/** Vectors are kept at length 1, so that this is their cosine. */
function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** Damps how much the first ranks weigh: the constant of Cormack, Clarke and Büttcher's paper. */
const damping = 60;

/** Fuses ranked lists by reciprocal rank: an item's score is the sum of 1 / (60 + rank) over the lists it is in. */
function fuse<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => unknown): { readonly item: T; readonly score: number }[] {
  const fused = new Map<unknown, { item: T; score: number }>();
  for (const list of lists) {
    for (const [at, item] of list.entries()) {
      const entry = fused.get(keyOf(item)) ?? { item, score: 0 };
      entry.score += 1 / (damping + at + 1);
      fused.set(keyOf(item), entry);
    }
  }
  return [...fused.values()].sort((one, other) => other.score - one.score);
}
