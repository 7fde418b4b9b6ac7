import type { Queries } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { scopeConditions } from '../log/read.js';
import type { Selection } from '../log/selection.js';
import type { Fact, NewFact, Source } from '../records/fact.js';
import { type Scope, scopeOf } from '../records/scope.js';
import { checkScope } from '../records/validate.js';
import { type FactRow, factColumns, factOf } from './fact-row.js';
import { type FactName, findVersion, type ListOptions, listRows, scopeKey, versionsOf } from './find.js';
import { Keeping, type Reason, type Swept } from './keeping.js';
import { type FactContext, putFact } from './put.js';
import { type Freshness, freshnessOf, type Refreshed, Refresher, type RefreshHandler, staleAt, verifiedSource } from './refresh.js';

/** A fact that was found, and whether it still is what its source has. */
export interface FoundFact {
  readonly fact: Fact;
  readonly freshness: Freshness;
}

/** What a background refresh did. */
export interface RefreshedFacts {
  readonly refreshed: number;
  readonly failed: readonly { readonly scope: Scope; readonly id: string; readonly error: string }[];
}

/** Facts: versioned records, each within its scope. */
export class Facts {
  readonly #context: FactContext;
  readonly #keeping: Keeping;
  readonly #refresher: Refresher;

  constructor(context: FactContext, handlers: Readonly<Record<string, RefreshHandler>>, refreshTimeoutMs: number) {
    this.#context = context;
    this.#keeping = new Keeping(context.database, context.contents, context.now);
    this.#refresher = new Refresher(handlers, refreshTimeoutMs);
  }

  /**
   * Writes a new fact, or the next version of one; versions are never changed. Rejects with InvalidRecord,
   * or MemoryError `version-conflict` (another version than `expectedVersion` is there) or `unknown-cause`.
   */
  put(fact: NewFact): Promise<Fact> {
    return putFact(this.#context, fact);
  }

  /**
   * The latest version of a fact, or the one asked for, with its content wherever that is kept. A stale
   * copy with the strategy `on-read` is refreshed first; when that fails, the stale one is answered, and
   * `freshness` says why. Undefined when there is none in this very scope.
   */
  async get(name: FactName, { version }: { readonly version?: number } = {}): Promise<FoundFact | undefined> {
    const row = await findVersion(this.#queries, name, version);
    if (row === undefined) return undefined;
    const fact = await this.#withContent(row);
    const freshness = freshnessOf(fact.source, this.#context.now());
    if (version !== undefined || freshness.kind !== 'stale' || fact.source?.refresh.strategy !== 'on-read') return { fact, freshness };
    try {
      return { fact: await this.#refresh(fact), freshness: { kind: 'fresh' } };
    } catch (error) {
      // Somebody put a version while the source was asked: that one is newer than what was to be refreshed.
      if (error instanceof MemoryError && error.code === 'version-conflict') return this.get(name);
      if (error instanceof MemoryError && (error.code === 'refresh-failed' || error.code === 'no-handler')) return { fact, freshness: { ...freshness, error: error.message } };
      throw error;
    }
  }

  /** Every version of a fact, oldest first; contents that are kept as blobs are not fetched. */
  async history(name: FactName): Promise<Fact[]> {
    return (await versionsOf(this.#queries, name)).map(factOf);
  }

  /** The latest versions of the facts whose scope has all the fields given, by type; blobs are not fetched. */
  async *list(options: ListOptions): AsyncGenerator<Fact, void, undefined> {
    for await (const row of listRows(this.#queries, options)) yield factOf(row);
  }

  /** Deletes every version of a fact, and logs it. Rejects with MemoryError `no-such-fact`, `legal-hold` or `retained`. */
  delete(name: FactName, why: Reason): Promise<void> {
    return this.#keeping.delete(name, why);
  }

  /** Puts a fact on legal hold: nothing deletes it until it is released. Logged. */
  hold(name: FactName, why: Reason): Promise<void> {
    return this.#keeping.setHold(name, true, why);
  }

  /** Releases a fact from legal hold. Logged. */
  release(name: FactName, why: Reason): Promise<void> {
    return this.#keeping.setHold(name, false, why);
  }

  /**
   * Deletes the versions whose `keepUntil` and `keepDays` have passed, and logs it; a latest version goes
   * only with all before it. With all tenants, also blobs that no version has had for an hour.
   */
  sweep(selection: Selection, { dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<Swept> {
    return this.#keeping.sweep(selection, dryRun);
  }

  /** Asks a fact's source now. Rejects with MemoryError `no-such-fact`, `no-handler` or `refresh-failed`. */
  async refresh(name: FactName): Promise<Fact> {
    const row = await findVersion(this.#queries, name, undefined);
    if (row === undefined) throw new MemoryError('no-such-fact', `There is no fact ${name.id} in this scope`);
    return this.#refresh(await this.#withContent(row));
  }

  /** Asks the sources of stale facts with the strategy `background`, the highest priority and then the stalest first. */
  async refreshStale({ scope, limit = 100, concurrency = 4 }: { readonly scope: Scope; readonly limit?: number; readonly concurrency?: number }): Promise<RefreshedFacts> {
    const waiting = await this.#stale(scope, limit);
    const failed: { scope: Scope; id: string; error: string }[] = [];
    let refreshed = 0;
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        try {
          await this.#refresh(await this.#withContent(row));
          refreshed++;
        } catch (error) {
          failed.push({ scope: scopeOf(row), id: row.id, error: error instanceof Error ? error.message : String(error) });
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return { refreshed, failed };
  }

  get #queries(): Queries {
    return this.#context.database;
  }

  async #withContent(row: FactRow): Promise<Fact> {
    const fact = factOf(row);
    if (row.content_ref === null || row.content_hash === null) return fact;
    return { ...fact, content: JSON.parse(await this.#context.contents.get(row.tenant_id, row.content_ref, row.content_hash)) as unknown };
  }

  async #stale(scope: Scope, limit: number): Promise<FactRow[]> {
    checkScope(scope);
    const values: (string | number)[] = [];
    const next = (value: unknown): string => `$${values.push(value as string | number)}`;
    const conditions = [...scopeConditions(scope, next, 'f.'), 'f.latest = 1', `f.refresh_strategy = 'background'`, `f.stale_at <= ${next(new Date(this.#context.now()).toISOString())}`];
    return this.#queries.query<FactRow>(`SELECT ${factColumns} FROM memory_facts f WHERE ${conditions.join(' AND ')} ORDER BY f.refresh_priority DESC, f.stale_at LIMIT ${next(limit)}`, values);
  }

  #refresh(fact: Fact): Promise<Fact> {
    return this.#refresher.refresh(`${scopeKey(fact.scope)} ${fact.id}`, fact, (refreshed) => this.#store(fact, refreshed));
  }

  /** A changed content is a new version; an unchanged one only moves the time it was verified at. */
  async #store(fact: Fact, refreshed: Refreshed): Promise<Fact> {
    const { source, scope, id, type, content, version } = fact;
    if (source === undefined) throw new MemoryError('no-handler', `Fact ${id} has no source`);
    const asked = verifiedSource(source, this.#context.now(), refreshed);
    if (refreshed.kind === 'changed') return this.put({ scope, id, type, content: refreshed.content, source: asked, expectedVersion: version });
    await this.#verified({ scope, id }, version, asked);
    return { ...fact, source: asked, ...(content === undefined ? {} : { content }) };
  }

  async #verified({ scope, id }: FactName, version: number, source: Source): Promise<void> {
    await this.#queries.query('UPDATE memory_facts SET source = $1, stale_at = $2 WHERE tenant_id = $3 AND scope_key = $4 AND id = $5 AND version = $6', [
      JSON.stringify(source), staleAt(source) ?? null, scope.tenantId, scopeKey(scope), id, version,
    ]);
  }
}
