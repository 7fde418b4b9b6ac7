import type { Database, Queries, Value } from '../database/database.js';
import { scopeConditions } from '../log/read.js';
import { type Scope, scopeRow, scopeText } from '../records/scope.js';
import { checkScope } from '../records/validate.js';
import { factColumns, type FactRow } from './fact-row.js';

/** One fact: its id, and the very scope it was put in. */
export interface FactName {
  readonly scope: Scope;
  readonly id: string;
}

const pageSize = 200;

/** Lets one transaction at a time change a fact: a new version must see the one before, and a hold every one. */
export function lockFact({ dialect }: Database, queries: Queries, { scope, id }: FactName): Promise<void> {
  checkScope(scope);
  return dialect.lock(queries, `memory fact ${scopeKey(scope)} ${id}`);
}

export const scopeKey = (scope: Scope): string => scopeText(scopeRow(scope));

/** The versions of a fact, oldest first. */
export async function versionsOf(queries: Queries, { scope, id }: FactName): Promise<FactRow[]> {
  checkScope(scope);
  return queries.query<FactRow>(`SELECT ${factColumns} FROM memory_facts f WHERE f.tenant_id = $1 AND f.scope_key = $2 AND f.id = $3 ORDER BY f.version`, [scope.tenantId, scopeKey(scope), id]);
}

/** A version of a fact; the latest without a number. */
export async function findVersion(queries: Queries, { scope, id }: FactName, version: number | undefined): Promise<FactRow | undefined> {
  checkScope(scope);
  const which = version === undefined ? 'f.latest = 1' : 'f.version = $4';
  const [row] = await queries.query<FactRow>(
    `SELECT ${factColumns} FROM memory_facts f WHERE f.tenant_id = $1 AND f.scope_key = $2 AND f.id = $3 AND ${which}`,
    [scope.tenantId, scopeKey(scope), id, ...(version === undefined ? [] : [version])],
  );
  return row;
}

/** Which facts: the latest versions of those whose scope has all the fields given. */
export interface ListOptions {
  readonly scope: Scope;
  readonly type?: string;
  /** At most so many; all by default. */
  readonly limit?: number;
}

/** The latest versions in the order they were written, a page at a time. */
export async function* listRows(queries: Queries, { scope, type, limit = Infinity }: ListOptions): AsyncGenerator<FactRow> {
  checkScope(scope);
  for (let after = 0, left = limit; left > 0; ) {
    const values: Value[] = [];
    const next = (value: Value): string => `$${values.push(value)}`;
    const conditions = ['f.latest = 1', ...scopeConditions(scope, next, 'f.'), `f.fact_row > ${next(after)}`, ...(type === undefined ? [] : [`f.type = ${next(type)}`])];
    const length = Math.min(pageSize, left);
    const rows: FactRow[] = await queries.query<FactRow>(`SELECT ${factColumns} FROM memory_facts f WHERE ${conditions.join(' AND ')} ORDER BY f.fact_row LIMIT ${next(length)}`, values);
    yield* rows;
    left -= rows.length;
    if (rows.length < length) return;
    after = rows.at(-1)?.fact_row ?? after;
  }
}
