import type { CallIds } from '../../src/protocol/call-tags.js';
import type { CallOutcome, CancelReason } from '../../src/protocol/errors.js';
import type { ErrorMessage, Request } from '../../src/protocol/messages.js';
import type { AnswerBody } from '../../src/threads/link/messages.js';
import type { CallTags, Trace } from '../../src/protocol/call-tags.js';
import { Cancellation } from '../../src/sdk/cancellation.js';
import { stringifyMessage } from './json.js';

/** Answers longer than this many characters cross as bytes whose memory moves, shorter ones as a string, which is cheaper. */
const largestString = 16_384;
const encoder = new TextEncoder();

/** One call on this thread: its signal, and its one answer. */
export class Call {
  /** Known once the message has been parsed. */
  request: Request | undefined;
  readonly #trace: Trace;
  readonly #post: (outcome: CallOutcome, body: AnswerBody) => void;
  #settled = false;
  #cancellation: Cancellation | undefined;
  #cancelled: CancelReason | undefined;

  constructor(trace: Trace, post: (outcome: CallOutcome, body: AnswerBody) => void) {
    this.#trace = trace;
    this.#post = post;
  }

  /** Made when something asks for them: an ordinary call has no use for them on this side. */
  get tags(): CallTags {
    return { ...(this.request && namesOf(this.request)), ...this.#trace };
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

function namesOf(request: Request): Omit<CallTags, keyof Trace> {
  return request.kind === 'invoke' ? { toolId: request.tool.id, ...idsOf(request.ctx) } : { checkId: request.check.id, ...idsOf(request.trace) };
}

/** The ids that are given, and are strings. */
function idsOf(source: unknown): CallIds {
  const fields = typeof source === 'object' && source !== null ? (source as Readonly<Record<string, unknown>>) : {};
  const id = (name: keyof CallIds): string | undefined => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return { tenantId: id('tenantId'), runId: id('runId'), requestId: id('requestId'), projectId: id('projectId'), orgId: id('orgId') };
}
