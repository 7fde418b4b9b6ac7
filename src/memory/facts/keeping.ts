import type { Contents } from '../blobs/contents.js';
import type { Database, Queries, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { appendBatches, prepareEntry } from '../log/append.js';
import { selected, type Selection } from '../log/selection.js';
import type { Retention } from '../records/fact.js';
import { type Scope, scopeOf } from '../records/scope.js';
import { factColumns, type FactRow } from './fact-row.js';
import { type FactName, lockFact, versionsOf } from './find.js';

/** The run in each tenant's log that holds what was done to facts out of turn. */
const keepingRun = 'memory-keeping';

/** Who does it, and why; both are logged. */
export interface Reason {
  readonly actor: string;
  readonly reason: string;
}

/** What a sweep deleted, or would delete. */
export interface Swept {
  readonly versions: readonly { readonly scope: Scope; readonly id: string; readonly version: number }[];
  readonly blobs: number;
  readonly blobBytes: number;
}

const blobGraceMs = 60 * 60 * 1000;
const pageSize = 200;

/** Keeps facts, and lets them go: legal holds, deletion under retention, and the sweep. */
export class Keeping {
  readonly #database: Database;
  readonly #contents: Contents;
  readonly #now: () => number;

  constructor(database: Database, contents: Contents, now: () => number) {
    this.#database = database;
    this.#contents = contents;
    this.#now = now;
  }

  /** Sets or lifts the hold on every version of a fact. */
  async setHold(name: FactName, legalHold: boolean, why: Reason): Promise<void> {
    await this.#database.transaction(async (queries) => {
      for (const version of await this.#existing(queries, name)) {
        const { legalHold: _, ...kept } = version.retention === null ? ({} as Retention) : (JSON.parse(version.retention) as Retention);
        const retention = { ...kept, ...(legalHold ? { legalHold } : {}) };
        await queries.query('UPDATE memory_facts SET retention = $1, legal_hold = $2 WHERE fact_row = $3', [
          Object.keys(retention).length === 0 ? null : JSON.stringify(retention), retentionColumns(retention, 0).legal_hold, version.fact_row,
        ]);
      }
      await this.#record(queries, name, { event: legalHold ? 'fact-held' : 'fact-released' }, why);
    });
  }

  /** Deletes every version of a fact. */
  async delete(name: FactName, why: Reason): Promise<void> {
    await this.#database.transaction(async (queries) => {
      const versions = await this.#existing(queries, name);
      mustBeDeletable(versions, this.#now());
      for (const { fact_row } of versions) await queries.query('DELETE FROM memory_facts WHERE fact_row = $1', [fact_row]);
      await this.#record(queries, name, { event: 'fact-deleted', versions: versions.map(({ version }) => version) }, why);
    });
  }

  /** Deletes versions whose time has passed, then the blobs that no version has; see `Facts.sweep`. */
  async sweep(selection: Selection, dryRun: boolean): Promise<Swept> {
    const versions: { scope: Scope; id: string; version: number }[] = [];
    const expired = await this.#expired(selection);
    for (let at = 0; at < expired.length; at += pageSize) {
      const page = expired.slice(at, at + pageSize);
      const gone = dryRun ? page : await this.#deleteExpired(page);
      versions.push(...gone.map((row) => ({ scope: scopeOf(row), id: row.id, version: row.version })));
    }
    const isUsed = async (reference: string): Promise<boolean> => (await this.#database.query('SELECT 1 FROM memory_facts WHERE content_ref = $1 LIMIT 1', [reference])).length > 0;
    // Blobs do not say whose they are: they are everybody's sweep.
    const { blobs, bytes } = selection === 'all-tenants' ? await this.#contents.sweep(this.#now() - blobGraceMs, isUsed, dryRun) : { blobs: 0, bytes: 0 };
    return { versions, blobs, blobBytes: bytes };
  }

  /** A latest version goes only together with all before it: an older one must not come back as the fact's. */
  async #expired(selection: Selection): Promise<FactRow[]> {
    const { where, values } = selected(selection === 'all-tenants' ? selection : { tenantId: selection.tenantId });
    const next = `$${values.length + 1}`;
    const isExpired = (table: string): string => `(${table}.keep_until IS NOT NULL AND ${table}.keep_until <= ${next} AND ${table}.legal_hold = 0)`;
    const older = `SELECT 1 FROM memory_facts o WHERE o.tenant_id = f.tenant_id AND o.scope_key = f.scope_key AND o.id = f.id AND o.version < f.version AND NOT ${isExpired('o')}`;
    const all: Value[] = [...values, new Date(this.#now()).toISOString()];
    return this.#database.query<FactRow>(
      `SELECT ${factColumns} FROM memory_facts f WHERE ${where} AND ${isExpired('f')} AND (f.latest = 0 OR NOT EXISTS (${older})) ORDER BY f.tenant_id, f.fact_row`, all,
    );
  }

  /** Looks again at each version within the transaction: a hold may have come meanwhile. */
  #deleteExpired(rows: readonly FactRow[]): Promise<FactRow[]> {
    return this.#database.transaction(async (queries) => {
      const gone: FactRow[] = [];
      for (const row of rows) {
        const [deleted] = await queries.query<FactRow>('DELETE FROM memory_facts WHERE fact_row = $1 AND legal_hold = 0 AND keep_until <= $2 RETURNING fact_row', [row.fact_row, new Date(this.#now()).toISOString()]);
        if (deleted !== undefined) gone.push(row);
      }
      for (const tenantId of new Set(gone.map(({ tenant_id }) => tenant_id))) {
        const facts = gone.filter(({ tenant_id }) => tenant_id === tenantId).map(({ id, version }) => ({ id, version }));
        await this.#append(queries, { tenantId }, 'system', { event: 'facts-swept', facts });
      }
      return gone;
    });
  }

  async #existing(queries: Queries, name: FactName): Promise<FactRow[]> {
    await lockFact(this.#database, queries, name);
    const versions = await versionsOf(queries, name);
    if (versions.length === 0) throw new MemoryError('no-such-fact', `There is no fact ${name.id} in this scope`);
    return versions;
  }

  async #record(queries: Queries, { scope, id }: FactName, event: { readonly event: string; readonly versions?: readonly number[] }, { actor, reason }: Reason): Promise<void> {
    await this.#append(queries, scope, actor, { ...event, id, reason });
  }

  async #append(queries: Queries, scope: Scope, actor: string, payload: object): Promise<void> {
    const entry = prepareEntry({ tenantId: scope.tenantId, runId: keepingRun, kind: 'event-emitted', scope, actor, payload });
    await appendBatches(this.#database, queries, [[entry]], this.#now);
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/** The columns that retention is enforced by. */
interface RetentionColumns {
  readonly retention: string | null;
  readonly keep_until: string | null;
  readonly legal_hold: number;
}

/** A version's retention, written at a time; the later of `keepUntil` and `keepDays` counts. */
export function retentionColumns(retention: Retention | undefined, writtenAt: number): RetentionColumns {
  const { keepUntil, keepDays, legalHold = false } = retention ?? {};
  const times = [...(keepUntil === undefined ? [] : [Date.parse(keepUntil)]), ...(keepDays === undefined ? [] : [writtenAt + keepDays * dayMs])];
  return {
    retention: retention === undefined ? null : JSON.stringify(retention),
    keep_until: times.length === 0 ? null : new Date(Math.min(Math.max(...times), Date.parse('9999-12-31T23:59:59.999Z'))).toISOString(),
    legal_hold: legalHold ? 1 : 0,
  };
}

/** What a new version is kept by: what is said of it, else what its predecessor was kept by. A hold stays until it is released. */
export function inheritedRetention(given: Retention | undefined, previous: FactRow | undefined): Retention | undefined {
  const before = previous?.retention ? (JSON.parse(previous.retention) as Retention) : undefined;
  const retention = given ?? before;
  return previous?.legal_hold === 1 ? { ...retention, legalHold: true } : retention;
}

/** Throws MemoryError `legal-hold` or `retained` when one of the versions must not be deleted yet. */
function mustBeDeletable(versions: readonly FactRow[], now: number): void {
  for (const { id, version, legal_hold, keep_until } of versions) {
    if (legal_hold === 1) throw new MemoryError('legal-hold', `Fact ${id} is on legal hold; it has to be released first`);
    if (keep_until !== null && Date.parse(keep_until) > now) throw new MemoryError('retained', `Version ${version} of fact ${id} is to be kept until ${keep_until}`);
  }
}
