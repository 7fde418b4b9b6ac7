import type { PooledCall } from './call.js';
import type { Thread } from './thread.js';

/**
 * What happens to a thread whose call is over for its caller while the handler still runs: it was
 * signalled, has the grace to settle, and is lost if it does not. Neighbours on a shared thread may
 * finish first, unless the thread no longer responds.
 */
export class Endings {
  readonly #graceMs: number;
  readonly #lose: (thread: Thread, call: PooledCall) => void;
  readonly #expired = new Set<PooledCall>();
  readonly #timers = new Map<PooledCall, NodeJS.Timeout>();

  /** `lose` is called with a thread that has to go, and with the call because of which. */
  constructor(graceMs: number, lose: (thread: Thread, call: PooledCall) => void) {
    this.#graceMs = graceMs;
    this.#lose = lose;
  }

  /** Starts the grace of a call that has just been signalled. */
  begin(thread: Thread, call: PooledCall): void {
    this.#timers.set(
      call,
      setTimeout(() => this.#expire(thread, call), this.#graceMs),
    );
  }

  /** The handler has settled, or its thread is over. */
  finish(call: PooledCall): void {
    clearTimeout(this.#timers.get(call));
    this.#timers.delete(call);
    this.#expired.delete(call);
  }

  /** Whether nobody needs to wait for the thread: all it still has are handlers whose grace has passed. */
  isAbandoned(thread: Thread): boolean {
    return thread.calls.every((call) => this.#expired.has(call));
  }

  #expire(thread: Thread, call: PooledCall): void {
    this.#timers.delete(call);
    this.#expired.add(call);
    if (thread.hasSeenCancel(call) && !this.isAbandoned(thread)) thread.state = 'spent';
    else this.#lose(thread, call);
  }
}
