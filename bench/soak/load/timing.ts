import { createHistogram } from 'node:perf_hooks';

/** Percentiles of times, in milliseconds. */
export interface Times {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Gathers times in a histogram: a long run needs no more memory than a short one. Exact to three digits. */
export class Timing {
  readonly #microseconds = createHistogram({ figures: 3 });
  #count = 0;

  /** A time below a microsecond, or before its deadline by the clocks' rounding, counts as one. */
  add(milliseconds: number): void {
    this.#count++;
    this.#microseconds.record(Math.max(1, Math.round(milliseconds * 1000)));
  }

  times(): Times {
    const at = (percentile: number): number => (this.#count === 0 ? 0 : this.#microseconds.percentile(percentile) / 1000);
    return { count: this.#count, p50: at(50), p90: at(90), p99: at(99), max: this.#count === 0 ? 0 : this.#microseconds.max / 1000 };
  }
}
