import type { Emit } from '../../events/event-stream.js';
import type { Clock } from './clock.js';

/** A scheduler that can replace one of its threads. */
export interface Replaceable {
  /** Lets the thread that has run the most calls finish what it has, and replaces it; returns whether there was one. */
  replaceOldest(): boolean;
}

const checkEveryMs = 1_000;

/**
 * Replaces threads, one a second, while the process holds more memory than it should: what leaks goes with its thread.
 * Both figures in MiB; a maximum of Infinity means never.
 */
export function relieveMemory(maxRssMb: number, rssMb: () => number, schedulers: readonly Replaceable[], clock: Clock, emit: Emit): void {
  if (maxRssMb === Infinity) return;
  clock.after(checkEveryMs, () => {
    const held = rssMb();
    if (held > maxRssMb) {
      emit({ kind: 'memory-high', rssMb: held, maxRssMb });
      schedulers.some((scheduler) => scheduler.replaceOldest());
    }
    relieveMemory(maxRssMb, rssMb, schedulers, clock, emit);
  });
}
