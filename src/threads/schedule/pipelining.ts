import type { Thread } from './thread.js';

/** The most calls a thread has before it, the one that runs included. */
const mostCalls = 16;
/** No call is posted behind others that are expected to take longer than this, in milliseconds. */
const longestWaitMs = 1;
/** Waking a thread that idles costs about as much as waiting so long, in milliseconds, behind calls on one that is awake. */
const wakeWorthMs = 0.3;
/** A thread that has begun no further call for so long, in milliseconds, gives back those that wait. */
const patienceMs = 5;

/**
 * Which threads may be given a call while they still have one. Waking a thread costs more than a short
 * call does: while calls are short, the next ones are posted to their thread before it asks for them. None
 * of them is stuck behind a long one: what a thread has not begun after a few milliseconds is taken back.
 */
export class Ahead {
  readonly #threads: ReadonlySet<Thread>;
  readonly #onStalled: (thread: Thread) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `onStalled` is called with a thread whose calls that wait should go elsewhere. */
  constructor(threads: ReadonlySet<Thread>, onStalled: (thread: Thread) => void) {
    this.#threads = threads;
    this.#onStalled = onStalled;
  }

  /** Whether waiting on the thread is cheaper than waking another. */
  isWorthIt(thread: Thread): boolean {
    return waitOn(thread) <= wakeWorthMs;
  }

  /** Whether the thread may have one more call than it has. */
  hasRoom(thread: Thread, now: number): boolean {
    if (thread.unfinished === 0) return true;
    return thread.unfinished < mostCalls && waitOn(thread) <= longestWaitMs && now - thread.movedAt <= longestWaitMs;
  }

  /** Calls wait on a thread: watches them. */
  watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const now = performance.now();
      for (const thread of this.#threads) {
        if (thread.calls.length < 2 || thread.unbegun === 0) continue;
        if (now - thread.movedAt >= patienceMs) this.#onStalled(thread);
        else this.watch();
      }
    }, patienceMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** How long a call may be expected to wait on the thread, in milliseconds. */
function waitOn({ unfinished, averageMs }: Thread): number {
  return unfinished === 0 ? 0 : unfinished * averageMs;
}
