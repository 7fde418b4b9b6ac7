import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** Shorter spans say little: the kernel counts in ticks of 10 ms. */
const shortestSpanMs = 40;
/** Longer ones say nothing of now. */
const longestSpanMs = 250;
/** Used by so much it is full, and stays so until it is used by no more than the other: a pause for garbage is no room. */
const fullFrom = 0.85;
const fullUntil = 0.65;

interface Sample {
  readonly at: number;
  readonly ownMs: number;
  readonly idleMs: number;
  readonly loop: ReturnType<typeof performance.eventLoopUtilization>;
}

/**
 * Tells whether one more thread could get no more done: this process uses all that the processors can
 * give, or leaves idle what others use; or the main thread, which every call passes, has no time left.
 */
export class Saturation {
  #sample = sample();
  #isFull = false;

  /** Whether it was so of late. Ask again and again while it matters: the answer is of the time between. */
  get isFull(): boolean {
    const before = this.#sample;
    const spanMs = performance.now() - before.at;
    if (spanMs < shortestSpanMs) return this.#isFull;
    const now = sample();
    this.#sample = now;
    if (spanMs > longestSpanMs) return (this.#isFull = false);
    const limit = this.#isFull ? fullUntil : fullFrom;
    const available = (now.at - before.at) * availableParallelism();
    const isUsedUp = now.ownMs - before.ownMs > available * limit || now.idleMs - before.idleMs < available * (1 - limit);
    this.#isFull = isUsedUp || performance.eventLoopUtilization(now.loop, before.loop).utilization > limit;
    return this.#isFull;
  }
}

function sample(): Sample {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), ownMs: (user + system) / 1_000, idleMs: idleMs(), loop: performance.eventLoopUtilization() };
}

/** For how long all processors together had nothing to do, by Linux' own count (proc(5), `stat`); Infinity elsewhere, so that no span looks used up. */
function idleMs(): number {
  if (process.platform !== 'linux') return Infinity;
  const [, , , , idle = 0, waiting = 0] = readFileSync('/proc/stat', 'latin1').slice(0, 200).split(/\s+/).map(Number);
  return (idle + waiting) * 10;
}
