import type { Database, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import type { Embedding } from '../facts/embedding.js';
import { type FactRow, factOf } from '../facts/fact-row.js';
import { scopeConditions } from '../log/read.js';
import type { Fact } from '../records/fact.js';
import type { Scope } from '../records/scope.js';
import { checkScope } from '../records/validate.js';
import { fuse } from './fuse.js';
import { byKeyword } from './keyword.js';
import { byMeaning } from './meaning.js';

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
export interface Filter {
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
