import type { Queries, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';

/** Whose chains: one run's, one tenant's, or, said in so many words, everybody's. */
export type Selection = { readonly tenantId: string; readonly runId?: string } | 'all-tenants';

/** One chain's name. */
export interface ChainName {
  readonly tenantId: string;
  readonly runId: string;
}

interface ChainRow {
  readonly tenant_id: string;
  readonly run_id: string;
}

/** The chains of a selection that have entries, or a head, one after the other in byte order. */
export async function* chainsOf(queries: Queries, selection: Selection): AsyncGenerator<ChainName> {
  checkSelection(selection);
  if (selection !== 'all-tenants' && selection.runId !== undefined) {
    yield { tenantId: selection.tenantId, runId: selection.runId };
    return;
  }
  const tenant = selection === 'all-tenants' ? undefined : selection.tenantId;
  for (let last = await next(queries, tenant, undefined); last !== undefined; last = await next(queries, tenant, last)) {
    yield { tenantId: last.tenant_id, runId: last.run_id };
  }
}

/** A selection without its tenant, as plain JavaScript could give, would be everybody's. */
export function checkSelection(selection: Selection): void {
  if (selection === 'all-tenants') return;
  const { tenantId, runId } = (selection ?? {}) as { tenantId?: unknown; runId?: unknown };
  if (typeof tenantId !== 'string' || tenantId === '') throw new MemoryError('invalid-argument', "tenantId is required: name the tenant, or give 'all-tenants'");
  if (runId !== undefined && typeof runId !== 'string') throw new MemoryError('invalid-argument', 'runId must be text');
}

/** The SQL condition of a selection, for tables with a tenant and a run. */
export function selected(selection: Selection): { readonly where: string; readonly values: readonly Value[] } {
  checkSelection(selection);
  if (selection === 'all-tenants') return { where: '1 = 1', values: [] };
  if (selection.runId === undefined) return { where: 'tenant_id = $1', values: [selection.tenantId] };
  return { where: 'tenant_id = $1 AND run_id = $2', values: [selection.tenantId, selection.runId] };
}

/** A jump from chain to chain along the index, whatever lies between; an entry without a head, and a head without entries, count too. */
async function next(queries: Queries, tenant: string | undefined, after: ChainRow | undefined): Promise<ChainRow | undefined> {
  const values: Value[] = [];
  const conditions: string[] = [];
  if (tenant !== undefined) conditions.push(`tenant_id = $${values.push(tenant)}`);
  if (after !== undefined) conditions.push(`(tenant_id, run_id) > ($${values.push(after.tenant_id)}, $${values.push(after.run_id)})`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const found: ChainRow[] = [];
  for (const table of ['memory_log', 'memory_log_heads']) {
    found.push(...(await queries.query<ChainRow>(`SELECT tenant_id, run_id FROM ${table} ${where} ORDER BY tenant_id, run_id LIMIT 1`, values)));
  }
  return found.sort(byName)[0];
}

function byName(one: ChainRow, other: ChainRow): number {
  return Buffer.compare(Buffer.from(one.tenant_id), Buffer.from(other.tenant_id)) || Buffer.compare(Buffer.from(one.run_id), Buffer.from(other.run_id));
}
