import type { CallRequest, Outcome, PendingCall } from '../pool/call.js';
import type { Dispatch } from '../pool/dispatch.js';
import type { CancelReason } from '../protocol/errors.js';

export type { CallRequest, Outcome };

/**
 * A call that was let in. Its deadline and its caller's hang-up end it wherever it is: while its body
 * still comes, while it waits for a thread, while it runs. Whatever comes first counts.
 */
export class AdmittedCall {
  readonly #dispatch: Dispatch;
  readonly #leave: () => void;
  #deadline: NodeJS.Timeout | undefined;
  #onEndedUnread: ((reason: CancelReason) => void) | undefined;
  #pending: PendingCall | undefined;
  #ended: CancelReason | undefined;

  constructor(dispatch: Dispatch, leave: () => void) {
    this.#dispatch = dispatch;
    this.#leave = leave;
  }

  /** Starts the deadline; `onEndedUnread` is called when the call ends before `run`. */
  start(timeoutMs: number, onEndedUnread: (reason: CancelReason) => void): void {
    this.#onEndedUnread = onEndedUnread;
    this.#deadline = setTimeout(() => this.end('deadline-exceeded'), timeoutMs);
  }

  /** Ends the call for its caller. */
  end(reason: CancelReason): void {
    if (this.#ended) return;
    this.#ended = reason;
    if (this.#pending) this.#pending.end(reason);
    else this.#onEndedUnread?.(reason);
  }

  /** Has the call run, and answers how it came out; never rejects. */
  run(request: CallRequest): Promise<Outcome> {
    this.#pending = this.#dispatch.run(request);
    if (this.#ended) this.#pending.end(this.#ended);
    return this.#pending.outcome;
  }

  /** The call is over, and another may have its place. */
  leave(): void {
    clearTimeout(this.#deadline);
    this.#leave();
  }
}
