/** Draws that the seed alone decides. */
export interface Draw {
  /** From 0 up to 1, without 1. */
  readonly next: () => number;
  /** A whole number from `least` to `most`, both included. */
  readonly whole: (least: number, most: number) => number;
  readonly oneOf: <T>(choices: readonly [T, ...T[]]) => T;
  readonly shuffled: <T>(items: readonly T[]) => T[];
  /** The gap to the next arrival when they come independently of each other, `perSecond` on average. */
  readonly gapMs: (perSecond: number) => number;
}

/**
 * Mulberry32 by Tommy Ettinger, in the public domain
 * (https://gist.github.com/tommyettinger/46a874533244883189143505d203312c): thirty-two bits of state
 * are plenty for arrivals, and the same on every machine.
 */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function drawFrom(seed: number): Draw {
  const next = mulberry32(seed);
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    whole: (least, most) => least + below(most - least + 1),
    oneOf: (choices) => choices[below(choices.length)] ?? choices[0],
    shuffled: (items) => {
      const left = [...items];
      return items.flatMap(() => left.splice(below(left.length), 1));
    },
    gapMs: (perSecond) => (-Math.log(1 - next()) * 1000) / perSecond,
  };
}
