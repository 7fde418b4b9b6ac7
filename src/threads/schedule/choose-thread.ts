import { hasRoomAhead, isCheaperThanWaking } from './pipelining.js';
import type { Thread } from './thread.js';

/** What a choice goes by. */
export interface ChoiceRules {
  /** How many calls a thread runs at once. */
  readonly callsPerWorker: number;
  /** After so many calls a thread takes no further one. */
  readonly maxCallsPerWorker: number;
  /** Whether short calls may be posted to a thread that still runs one. */
  readonly postsAhead: boolean;
  /** How many threads can run at once, however many are awake. */
  readonly processors: number;
}

/**
 * The thread for a call: the first idle one, so that the later ones can be ended, unless one that is awake will be
 * done sooner, or as many are awake as there are processors; else, of those with room, the one with the fewest calls.
 */
export function chooseThread(threads: Iterable<Thread>, { callsPerWorker, maxCallsPerWorker, postsAhead, processors }: ChoiceRules, now: number): Thread | undefined {
  let idle: Thread | undefined;
  let best: Thread | undefined;
  let awake = 0;
  for (const thread of threads) {
    if (thread.state !== 'serving' || !thread.isAwake || thread.served >= maxCallsPerWorker) continue;
    const size = thread.calls.length;
    if (size === 0) {
      idle ??= thread;
      continue;
    }
    awake++;
    if (postsAhead ? hasRoomAhead(thread, now) : size < callsPerWorker) {
      if (postsAhead && isCheaperThanWaking(thread)) return thread;
      if (size < (best?.calls.length ?? Infinity)) best = thread;
    }
  }
  return postsAhead && awake >= processors ? (best ?? idle) : (idle ?? best);
}
