import { availableParallelism } from 'node:os';

/** Shorter spans say little: the kernel counts in ticks. */
const shortestSpanMs = 50;
const allOfThem = 0.85;

/** Tells whether the process uses about all that the processors can give. */
export class ProcessorUse {
  #at = performance.now();
  #usedMs = usedMs();
  #isFull = false;

  /** Whether it did of late: since it was last asked, or in some span of 50 ms or more before. */
  get isFull(): boolean {
    const now = performance.now();
    const span = now - this.#at;
    if (span < shortestSpanMs) return this.#isFull;
    const used = usedMs();
    this.#isFull = used - this.#usedMs > span * availableParallelism() * allOfThem;
    this.#at = now;
    this.#usedMs = used;
    return this.#isFull;
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
