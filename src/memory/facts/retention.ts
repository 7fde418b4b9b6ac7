import { MemoryError } from '../errors.js';
import type { Retention } from '../records/fact.js';
import type { FactRow } from './fact-row.js';

const dayMs = 24 * 60 * 60 * 1000;

/** The columns that retention is enforced by. */
export interface RetentionColumns {
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
export function mustBeDeletable(versions: readonly FactRow[], now: number): void {
  for (const { id, version, legal_hold, keep_until } of versions) {
    if (legal_hold === 1) throw new MemoryError('legal-hold', `Fact ${id} is on legal hold; it has to be released first`);
    if (keep_until !== null && Date.parse(keep_until) > now) throw new MemoryError('retained', `Version ${version} of fact ${id} is to be kept until ${keep_until}`);
  }
}
