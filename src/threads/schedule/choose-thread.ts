import { availableParallelism } from 'node:os';
import type { Ahead } from './pipelining.js';
import type { Thread } from './thread.js';

/** Of short calls no more run at once, however many threads are awake. */
const processors = availableParallelism();

/**
 * The thread for a call: the first that is idle, so that the later ones can be ended, unless one that is
 * awake will be done sooner, or as many are awake as there are processors; else, of those with room, the
 * one with the fewest calls. `ahead` says which may have a call while they still run one; without it,
 * those with fewer than `callsPerWorker`.
 */
export function chooseThread(threads: Iterable<Thread>, callsPerWorker: number, ahead: Ahead | undefined): Thread | undefined {
  const now = ahead === undefined ? 0 : performance.now();
  let idle: Thread | undefined;
  let best: Thread | undefined;
  let awake = 0;
  for (const thread of threads) {
    if (thread.state !== 'serving') continue;
    const size = thread.calls.length;
    if (size === 0) {
      idle ??= thread;
      continue;
    }
    awake++;
    if (ahead === undefined ? size < callsPerWorker : ahead.hasRoom(thread, now)) {
      if (ahead?.isWorthIt(thread)) return thread;
      if (size < (best?.calls.length ?? Infinity)) best = thread;
    }
  }
  return ahead !== undefined && awake >= processors ? (best ?? idle) : (idle ?? best);
}
