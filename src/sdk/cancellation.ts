import type { CancelReason } from '../protocol/errors.js';

/** The reason of a call's `abortSignal`: its deadline passed, or its caller is gone. */
export class CallCancelled extends Error {
  override readonly name = 'CallCancelled';
  /** `deadline-exceeded` or `cancelled`. */
  readonly reason: CancelReason;

  constructor(reason: CancelReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Fires when the caller gives up on the call: its deadline passed, or it disconnected. */
export class Cancellation {
  readonly #controller = new AbortController();

  /** The same as an AbortSignal, for whatever takes one; its reason is a CallCancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the call is over for its caller. */
  get cancelled(): boolean {
    return this.signal.aborted;
  }

  /** Why it is over; undefined while it is not. */
  get reason(): CancelReason | undefined {
    return this.signal.aborted ? (this.signal.reason as CallCancelled).reason : undefined;
  }

  /** For between the steps of long work: throws CallCancelled once the call is over. */
  throwIfCancelled(): void {
    this.signal.throwIfAborted();
  }

  /** Waits until the call is over, and answers why; with a time in milliseconds at most that long, and undefined if it is not over by then. */
  wait(timeoutMs?: number): Promise<CancelReason | undefined> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', done);
        resolve(this.reason);
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      if (this.cancelled) done();
      else this.signal.addEventListener('abort', done);
    });
  }

  /** Fires; the first reason wins. The host does it in a service, a test does it in a test. */
  cancel(reason: CancelReason): void {
    if (!this.cancelled) this.#controller.abort(new CallCancelled(reason));
  }
}
