import type { Database, Value } from '../database/database.js';
import { type Embedding, vectorOf } from '../facts/embedding.js';
import { type FactRow, factColumns } from '../facts/fact-row.js';
import type { Filter } from './recall.js';

const pageSize = 500;

/** The facts whose vectors are nearest to the query's, by cosine distance: in the database where it can, else here. Both are exact. */
export async function byMeaning(database: Database, embedding: Embedding, query: string, filter: Filter): Promise<FactRow[]> {
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
