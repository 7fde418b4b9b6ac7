import type { ScheduledCall } from './call.js';
import type { Clock, Timer } from './clock.js';
import type { Thread } from './thread.js';

/**
 * What happens to a thread whose call is over for its caller while the handler still runs: it was
 * signalled, has the grace to settle, and is lost if it does not. Neighbours on a shared thread may
 * finish first, unless the thread no longer responds.
 */
export class GracePeriods {
  readonly #graceMs: number;
  readonly #clock: Clock;
  readonly #lose: (thread: Thread, call: ScheduledCall) => void;
  readonly #expired = new Set<ScheduledCall>();
  readonly #timers = new Map<ScheduledCall, Timer>();

  /** `lose` is called with a thread that has to go, and with the call because of which. */
  constructor(graceMs: number, clock: Clock, lose: (thread: Thread, call: ScheduledCall) => void) {
    this.#graceMs = graceMs;
    this.#clock = clock;
    this.#lose = lose;
  }

  /** Starts the grace of a call that has just been signalled. */
  begin(thread: Thread, call: ScheduledCall): void {
    this.#timers.set(call, this.#clock.after(this.#graceMs, () => this.#expire(thread, call)));
  }

  /** The handler has settled, or its thread is over. */
  finish(call: ScheduledCall): void {
    this.#timers.get(call)?.cancel();
    this.#timers.delete(call);
    this.#expired.delete(call);
  }

  /** Whether nobody needs to wait for the thread: all it still has are handlers whose grace has passed. */
  isAbandoned(thread: Thread): boolean {
    return thread.calls.every((call) => this.#expired.has(call));
  }

  #expire(thread: Thread, call: ScheduledCall): void {
    this.#timers.delete(call);
    this.#expired.add(call);
    if (thread.hasSeenCancel(call) && !this.isAbandoned(thread)) thread.state = 'spent';
    else this.#lose(thread, call);
  }
}
