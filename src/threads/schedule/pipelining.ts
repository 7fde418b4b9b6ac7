import type { Thread } from './thread.js';

/** The most calls a thread has before it, the one that runs included. */
const mostCalls = 16;
/** No call is posted behind others that are expected to take longer than this, in milliseconds. */
const longestWaitMs = 1;
/** Waking an idle thread costs about as much as waiting so long, in milliseconds, behind calls on one that is awake. */
const wakingCostMs = 0.3;

/** How long a call may be expected to wait on the thread, in milliseconds. */
function expectedWaitMs({ unfinished, averageMs }: Thread): number {
  return unfinished === 0 ? 0 : unfinished * averageMs;
}

/** Whether waiting on the thread is cheaper than waking another: while calls are short, the next ones are posted ahead. */
export function isCheaperThanWaking(thread: Thread): boolean {
  return expectedWaitMs(thread) <= wakingCostMs;
}

/** Whether the thread may have one more call than it has. */
export function hasRoomAhead(thread: Thread, now: number): boolean {
  if (thread.unfinished === 0) return true;
  return thread.unfinished < mostCalls && expectedWaitMs(thread) <= longestWaitMs && now - thread.movedAt <= longestWaitMs;
}
