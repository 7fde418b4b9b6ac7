import type { Database } from './database/database.js';
import { selected, type Selection } from './log/selection.js';

/** How much one tenant has. */
export interface TenantStats {
  readonly tenantId: string;
  readonly runs: number;
  readonly entries: number;
  readonly facts: number;
  readonly versions: number;
  /** Bytes of the contents of all versions. */
  readonly factBytes: number;
}

/** How much there is. */
export interface MemoryStats {
  readonly engine: 'sqlite' | 'postgres';
  /** Bytes that the database takes; those of other tables too, if it has any. */
  readonly databaseBytes: number;
  readonly tenants: readonly TenantStats[];
}

/** Counts what the tenants of a selection have. Entries are counted by the heads of their chains. */
export async function statsOf(database: Database, selection: Selection): Promise<MemoryStats> {
  const { where, values } = selected(selection === 'all-tenants' ? selection : { tenantId: selection.tenantId });
  const logs = await database.query<{ tenant_id: string; runs: number; entries: number }>(
    `SELECT tenant_id, count(*) AS runs, CAST(sum(sequence + 1) AS bigint) AS entries FROM memory_log_heads WHERE ${where} AND sequence >= 0 GROUP BY tenant_id`, values,
  );
  const facts = await database.query<{ tenant_id: string; facts: number; versions: number; bytes: number }>(
    `SELECT tenant_id, sum(latest) AS facts, count(*) AS versions, CAST(coalesce(sum(size), 0) AS bigint) AS bytes FROM memory_facts WHERE ${where} GROUP BY tenant_id`, values,
  );
  const tenants = [...new Set([...logs, ...facts].map(({ tenant_id }) => tenant_id))].sort();
  return {
    engine: database.dialect.engine,
    databaseBytes: await database.size(),
    tenants: tenants.map((tenantId) => {
      const log = logs.find(({ tenant_id }) => tenant_id === tenantId);
      const fact = facts.find(({ tenant_id }) => tenant_id === tenantId);
      return { tenantId, runs: log?.runs ?? 0, entries: log?.entries ?? 0, facts: fact?.facts ?? 0, versions: fact?.versions ?? 0, factBytes: fact?.bytes ?? 0 };
    }),
  };
}
