/**
 * How a chain is broken:
 *
 * - `changed`: the entry is not what was appended
 * - `removed`: the entry is missing, and later ones are there
 * - `reordered`: another entry of the chain stands in its place
 * - `inserted`: the entry was not appended, or not here
 * - `cut`: the entry and all after it are missing
 * - `headless`: there are entries, but no head was kept of them
 */
export type BreakKind = 'changed' | 'removed' | 'reordered' | 'inserted' | 'cut' | 'headless';

/** The first broken entry of a chain. */
export interface Break {
  readonly tenantId: string;
  readonly runId: string;
  readonly sequence: number;
  readonly how: BreakKind;
}

const sentences: Readonly<Record<BreakKind, string>> = {
  changed: 'was changed',
  removed: 'was removed',
  reordered: 'was put out of order',
  inserted: 'was inserted',
  cut: 'and all after it were cut off',
  headless: 'is without the head of its chain',
};

/** A sentence that names tenant, run and sequence. */
export function describeBreak({ tenantId, runId, sequence, how }: Break): string {
  return `Entry ${sequence} of run ${JSON.stringify(runId)} of tenant ${JSON.stringify(tenantId)} ${sentences[how]}`;
}
