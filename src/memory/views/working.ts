import type { Queries, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { type FactRow, factColumns, factOf } from '../facts/fact-row.js';
import { scopeConditions } from '../log/read.js';
import type { Fact } from '../records/fact.js';
import type { Scope } from '../records/scope.js';
import { checkScope } from '../records/validate.js';

/** The type of fact that is working memory. */
const workingMemory = 'working-memory';

/** The latest versions of the working-memory facts that entries of a run have caused, in the order they were written. */
export async function workingMemoryOf(queries: Queries, { scope, runId }: { readonly scope: Scope; readonly runId: string }): Promise<Fact[]> {
  checkScope(scope);
  if (typeof runId !== 'string') throw new MemoryError('invalid-argument', 'runId is required');
  const values: Value[] = [];
  const next = (value: Value): string => `$${values.push(value)}`;
  const conditions = [`r.tenant_id = ${next(scope.tenantId)}`, `r.run_id = ${next(runId)}`, ...scopeConditions(scope, next, 'f.'), 'f.latest = 1', `f.type = ${next(workingMemory)}`];
  const rows = await queries.query<FactRow>(`SELECT ${factColumns} FROM memory_fact_runs r JOIN memory_facts f ON f.fact_row = r.fact_row WHERE ${conditions.join(' AND ')} ORDER BY f.fact_row`, values);
  return rows.map(factOf);
}
