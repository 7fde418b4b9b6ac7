import type { EventStream } from '../events/event-stream.js';
import type { CallTags } from '../protocol/call-tags.js';
import type { Envelope } from '../protocol/envelope.js';
import type { CallOutcome, CancelReason } from '../protocol/errors.js';
import { errorMessage } from '../protocol/messages.js';
import type { AnswerBody, MessageBody } from '../threads/link/messages.js';
import type { PendingCall } from '../threads/schedule/call.js';
import type { CurrentDispatch, Dispatch } from '../threads/schedule/dispatcher.js';

/** A call's message as it came: whole, or as far as it had come when the call ended. */
export type CallMessage =
  | { readonly kind: 'whole'; readonly body: MessageBody; readonly envelope: Envelope; readonly tags: CallTags }
  | { readonly kind: 'partial'; readonly ended: CancelReason; readonly envelope: Envelope; readonly tags: CallTags };

/**
 * What became of a call. `answered`: the message to send, a result or an error. `not-run`: it has not run, and may be
 * sent again. `abandoned`: its caller was gone before its message had come.
 */
export type CallResult =
  | { readonly kind: 'answered'; readonly body: AnswerBody; readonly durationMs: number; readonly artifactVersion: string | undefined }
  | { readonly kind: 'not-run' }
  | { readonly kind: 'abandoned' };

/**
 * A call that was let in. Its deadline and its caller's hang-up end it wherever it is: while its message still comes,
 * while it waits for a thread, while it runs. Whatever comes first counts.
 */
export class Call {
  readonly #serving: CurrentDispatch;
  readonly #events: EventStream;
  readonly #leave: () => void;
  readonly #arrivedAt = performance.now();
  #deadline: NodeJS.Timeout | undefined;
  #onEndedUnread: ((reason: CancelReason) => void) | undefined;
  #pending: PendingCall | undefined;
  #ended: CancelReason | undefined;

  constructor(serving: CurrentDispatch, events: EventStream, leave: () => void) {
    this.#serving = serving;
    this.#events = events;
    this.#leave = leave;
  }

  /** Starts the deadline; `onEndedUnread` is called when the call ends before `run`. */
  start(timeoutMs: number, onEndedUnread: (reason: CancelReason) => void): void {
    this.#onEndedUnread = onEndedUnread;
    this.#deadline = setTimeout(() => this.end('deadline-exceeded'), timeoutMs);
  }

  /** Ends the call for its caller. */
  end(reason: CancelReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    if (this.#pending !== undefined) this.#pending.end(reason);
    else this.#onEndedUnread?.(reason);
  }

  /** Runs the call, and returns what became of it once every observer knows; rejects only if an observer does. */
  async run(message: CallMessage): Promise<CallResult> {
    if (message.kind === 'partial') return this.#endUnread(message.ended, message);
    const { body, envelope, tags } = message;
    for (;;) {
      // It ended while it came or waited: no thread need hear of it.
      if (this.#ended !== undefined) return this.#endUnread(this.#ended, message);
      const dispatch: Dispatch = this.#serving.current;
      this.#pending = dispatch.run({ body, tags, version: envelope.version });
      const outcome = await this.#pending.outcome;
      if (outcome.kind === 'answer') {
        const durationMs = await this.#tell(outcome.outcome, outcome.body, message);
        return { kind: 'answered', body: outcome.body, durationMs, artifactVersion: this.#pending.artifactVersion };
      }
      // The pack was reloaded while the call waited, and the old threads are gone: as it has not run, it may run on the new ones.
      if (dispatch === this.#serving.current) return outcome;
    }
  }

  /** The call is over, and another may have its place. */
  leave(): void {
    clearTimeout(this.#deadline);
    this.#leave();
  }

  async #endUnread(reason: CancelReason, message: CallMessage): Promise<CallResult> {
    const { toolId, checkId } = message.tags;
    if (reason === 'cancelled') {
      await this.#tell(reason, undefined, message);
      return { kind: 'abandoned' };
    }
    const body = JSON.stringify(errorMessage(reason, 'The deadline passed before the call could run.', { toolId, checkId }));
    const durationMs = await this.#tell(reason, body, message);
    return { kind: 'answered', body, durationMs, artifactVersion: undefined };
  }

  /** Tells every observer, and returns how long the call took. */
  async #tell(outcome: CallOutcome, answer: AnswerBody | undefined, message: CallMessage): Promise<number> {
    const { envelope: { target, id }, tags } = message;
    const durationMs = Math.round(performance.now() - this.#arrivedAt);
    const body = message.kind === 'whole' ? message.body : undefined;
    await this.#events.emitAndWait({ kind: 'call-ended', target, id, tags, outcome, durationMs, message: body, answer });
    return durationMs;
  }
}
