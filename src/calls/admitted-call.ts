import type { CallRequest, Outcome, PendingCall } from '../threads/schedule/call.js';
import type { CurrentDispatch, Dispatch } from '../threads/schedule/dispatcher.js';
import type { CancelReason } from '../protocol/errors.js';

export type { CallRequest, Outcome };

/**
 * A call that was let in. Its deadline and its caller's hang-up end it wherever it is: while its body
 * still comes, while it waits for a thread, while it runs. Whatever comes first counts.
 */
export class AdmittedCall {
  readonly #serving: CurrentDispatch;
  readonly #leave: () => void;
  #deadline: NodeJS.Timeout | undefined;
  #onEndedUnread: ((reason: CancelReason) => void) | undefined;
  #pending: PendingCall | undefined;
  #ended: CancelReason | undefined;

  constructor(serving: CurrentDispatch, leave: () => void) {
    this.#serving = serving;
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

  /** Of the pack that ran the call, once it has run. */
  get artifactVersion(): string | undefined {
    return this.#pending?.artifactVersion;
  }

  /** Has the call run, and answers how it came out; never rejects. */
  async run(request: CallRequest): Promise<Outcome> {
    for (;;) {
      const { current } = this.#serving;
      const outcome = await this.#runOn(current, request);
      // The pack was reloaded as the call waited, and the old threads are gone: as it has not run, it may run in the new one. Bytes may have moved to a thread.
      if (outcome.kind === 'answer' || current === this.#serving.current || typeof request.body !== 'string') return outcome;
    }
  }

  /** The call is over, and another may have its place. */
  leave(): void {
    clearTimeout(this.#deadline);
    this.#leave();
  }

  #runOn(dispatch: Dispatch, request: CallRequest): Promise<Outcome> {
    this.#pending = dispatch.run(request);
    if (this.#ended) this.#pending.end(this.#ended);
    return this.#pending.outcome;
  }
}
