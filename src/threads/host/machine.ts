import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** Shorter spans say little: the kernel counts in ticks of 10 ms. */
const shortestSpanMs = 40;
/** Longer ones say nothing of now. */
const longestSpanMs = 250;
/** Hysteresis: saturated above 85 %, until usage falls below 65 %, so that a GC pause does not count as spare capacity. */
const fullFrom = 0.85;
const fullUntil = 0.65;
const mebibyte = 1024 * 1024;

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

  /** Whether it was so of late. Ask repeatedly while it matters: what it returns is about the time between. */
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

/**
 * For how long all processors together had nothing to do, by Linux' own count (proc(5), `stat`). Infinity where it cannot
 * be read, elsewhere or without a descriptor to spare: then no span looks used up. It only hints, so it never throws.
 */
function idleMs(): number {
  if (process.platform !== 'linux') return Infinity;
  try {
    const [, , , , idle = 0, waiting = 0] = readFileSync('/proc/stat', 'latin1').slice(0, 200).split(/\s+/).map(Number);
    return (idle + waiting) * 10;
  } catch {
    return Infinity;
  }
}

/** The memory that the process holds, in MiB. */
export function residentMb(): number {
  return Math.round(process.memoryUsage.rss() / mebibyte);
}
