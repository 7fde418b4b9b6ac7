import type { CallOutcome, CancelReason } from '../src/protocol/errors.js';
import type { ErrorMessage } from '../src/protocol/messages.js';
import type { AnswerBody, CallTags } from '../src/protocol/threads.js';
import { Cancellation } from '../src/sdk/cancellation.js';
import { stringifyMessage } from './json.js';

/** Answers longer than this many characters cross as bytes whose memory moves, shorter ones as a string, which is cheaper. */
const largestString = 16_384;
const encoder = new TextEncoder();

/** One call on this thread: its signal, and its one answer. */
export class Call {
  readonly tags: CallTags;
  readonly #post: (outcome: CallOutcome, body: AnswerBody) => void;
  #settled = false;
  #cancellation: Cancellation | undefined;
  #cancelled: CancelReason | undefined;

  constructor(tags: CallTags, post: (outcome: CallOutcome, body: AnswerBody) => void) {
    this.tags = tags;
    this.#post = post;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Made when pack code first asks for it: most never do. */
  get cancellation(): Cancellation {
    if (this.#cancellation === undefined) {
      this.#cancellation = new Cancellation();
      if (this.#cancelled !== undefined) this.#cancellation.cancel(this.#cancelled);
    }
    return this.#cancellation;
  }

  get abortSignal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** The call is over for its caller; its handler hears of it. */
  cancel(reason: CancelReason): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = reason;
    this.#cancellation?.cancel(reason);
  }

  /** Answers with a message that is JSON already. The first answer wins, as in `fail`. */
  succeed(envelope: string): void {
    this.#settle('ok', envelope);
  }

  /** Answers with an error. */
  fail(error: ErrorMessage): void {
    this.#settle(error.code, stringifyMessage(error));
  }

  #settle(outcome: CallOutcome, text: string): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#post(outcome, text.length <= largestString ? text : encoder.encode(text));
  }
}
