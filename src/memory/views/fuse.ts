/** Damps how much the first ranks weigh: the constant of Cormack, Clarke and Büttcher's paper. */
const damping = 60;

/** Fuses ranked lists by reciprocal rank: an item's score is the sum of 1 / (60 + rank) over the lists it is in. */
export function fuse<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => unknown): { readonly item: T; readonly score: number }[] {
  const fused = new Map<unknown, { item: T; score: number }>();
  for (const list of lists) {
    for (const [at, item] of list.entries()) {
      const entry = fused.get(keyOf(item)) ?? { item, score: 0 };
      entry.score += 1 / (damping + at + 1);
      fused.set(keyOf(item), entry);
    }
  }
  return [...fused.values()].sort((one, other) => other.score - one.score);
}
