import type { Records } from '../../logging/records.js';

/** A pool that can replace one of its threads. */
export interface Replaceable {
  /** Lets the thread that has run the most calls finish what it has, and replaces it; answers whether there was one. */
  replaceOldest(): boolean;
}

const checkEveryMs = 1_000;
const mebibyte = 1024 * 1024;

/** Replaces threads, one a second, while the process holds more memory than it should: what leaks goes with its thread. */
export class MemoryPressure {
  readonly #timer: NodeJS.Timeout | undefined;

  /** `maxRssMb`: in MiB; Infinity for never. */
  constructor(maxRssMb: number, pools: readonly Replaceable[], records: Records) {
    if (maxRssMb === Infinity) return;
    this.#timer = setInterval(() => {
      const rssMb = Math.round(process.memoryUsage.rss() / mebibyte);
      if (rssMb <= maxRssMb) return;
      records.memoryHigh(rssMb, maxRssMb);
      pools.some((pool) => pool.replaceOldest());
    }, checkEveryMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
