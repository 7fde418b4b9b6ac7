import type { Emit } from '../../events/event-stream.js';
import type { Excess, ScheduledCall } from './call.js';
import type { GracePeriods } from './grace.js';
import type { Thread } from './thread.js';

/** What an ending leads to. */
export interface EndingHooks {
  /** Calls that the thread has not begun. */
  putBack(calls: readonly ScheduledCall[]): void;
  /** The thread takes no further call. */
  refill(): void;
}

/** How a thread comes to its end: at once, or once the calls that it has are over. Each reason is told. */
export class Endings {
  readonly #options: { readonly grace: number; readonly maxCallsPerWorker: number };
  readonly #grace: GracePeriods;
  readonly #emit: Emit;
  readonly #hooks: EndingHooks;

  constructor(options: { readonly grace: number; readonly maxCallsPerWorker: number }, grace: GracePeriods, emit: Emit, hooks: EndingHooks) {
    this.#options = options;
    this.#grace = grace;
    this.#emit = emit;
    this.#hooks = hooks;
  }

  /** A handler did not settle. */
  lose(thread: Thread, call: ScheduledCall): void {
    const reason = `a handler did not settle within ${this.#options.grace} ms of its signal`;
    this.#emit({ kind: 'thread-ended', reason, tags: call.request.tags });
    this.#terminate(thread);
  }

  /** A call took more than its profile allows. */
  exceed(thread: Thread, call: ScheduledCall, excess: Excess): void {
    call.exceedLimit(excess);
    this.#emit({ kind: 'thread-ended', reason: `a call passed its limit of ${excess.value} ${excess.limit}`, tags: call.request.tags });
    this.#terminate(thread);
  }

  /** What an earlier call left behind holds the thread. */
  endSilent(thread: Thread, silenceMs: number): void {
    this.#emit({ kind: 'thread-ended', reason: `it ran no call and did not respond for ${silenceMs} ms`, tags: undefined });
    this.#terminate(thread);
  }

  /** Gives a thread no further call, and ends it once those it has are over. */
  spend(thread: Thread): void {
    thread.state = 'spent';
    this.#hooks.putBack(thread.takeBack());
    this.endIfSpent(thread);
    this.#hooks.refill();
  }

  /** Ends a thread that takes no further call, unless somebody still waits for one that it has. */
  endIfSpent(thread: Thread): void {
    const isSpent = thread.state === 'spent' || (thread.state === 'serving' && thread.served >= this.#options.maxCallsPerWorker);
    if (isSpent && this.#grace.isAbandoned(thread)) this.#terminate(thread);
  }

  #terminate(thread: Thread): void {
    thread.state = 'spent';
    this.#hooks.putBack(thread.takeBack());
    thread.terminate();
  }
}
