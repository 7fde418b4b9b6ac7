import type { Sample } from '../watch/sampler.js';
import type { Problem } from './problem.js';

/** How memory at the end compares with what it was when the service had settled in. */
export interface Level {
  readonly atSecond: number;
  readonly referenceMiB: number;
  readonly endMiB: number;
  /** How much more the end may be, as a share. */
  readonly bound: number;
}

/** From this length on there is a minute to settle in, and a strict bound. */
const longRunSeconds = 90;
const strict = { settledAfter: 60, bound: 0.2 };
/** A shorter run still adds threads, each with a heap of its own, after a third of its time. */
const loose = { settledAfterShare: 1 / 3, bound: 0.6 };

/**
 * Compares medians around two moments rather than two samples: a tool that fills its memory right
 * then is no leak.
 */
export function levelOf(samples: readonly Sample[], seconds: number): Level {
  const isLong = seconds >= longRunSeconds;
  const atSecond = isLong ? strict.settledAfter : seconds * loose.settledAfterShare;
  const width = Math.max(6, seconds / 10);
  return {
    atSecond,
    referenceMiB: medianBetween(samples, atSecond - width / 2, atSecond + width / 2),
    endMiB: medianBetween(samples, seconds - width, seconds),
    bound: isLong ? strict.bound : loose.bound,
  };
}

function medianBetween(samples: readonly Sample[], from: number, to: number): number {
  const values = samples.filter(({ second }) => second >= from && second <= to).map(({ residentMiB }) => residentMiB).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? NaN;
}

export function* risenMemory({ atSecond, referenceMiB, endMiB, bound }: Level): Generator<Problem> {
  if (!(endMiB <= referenceMiB * (1 + bound))) {
    yield { invariant: 'memory', detail: `${endMiB.toFixed(0)} MiB at the end, ${referenceMiB.toFixed(0)} MiB after ${atSecond.toFixed(0)} s: more than ${bound * 100} % up` };
  }
}

/** V8's helpers, libuv's pool, inspector and signal threads of a Node.js process, on any number of cores. */
const ownThreads = 16;

/** Every worker is one thread of the process; those that were lost must be gone. */
export function* tooManyThreads(atEnd: number, mostWorkers: number): Generator<Problem> {
  const allowed = ownThreads + mostWorkers;
  if (!(atEnd <= allowed)) yield { invariant: 'threads', detail: `${atEnd} threads at the end: more than the ${allowed} there may be` };
}
