import type { CallOutcome, CancelReason } from '../../protocol/errors.js';
import { type Cause, errorMessage } from '../../protocol/messages.js';
import type { AnswerBody, MessageBody } from '../link/messages.js';
import type { CallTags } from '../../protocol/call-tags.js';
import type { Thread } from './thread.js';

/** A call as the pool takes it. */
export interface CallRequest {
  readonly body: MessageBody;
  readonly tags: CallTags;
  /** The version of the tool that the message asks for. */
  readonly version: string | undefined;
}

/** How a call came out: with an answer, or provably without having run. */
export type Outcome = { readonly kind: 'answer'; readonly outcome: CallOutcome; readonly body: AnswerBody } | { readonly kind: 'not-run' };

/** A call that has been handed over. */
export interface PendingCall {
  /** Resolves once, with whatever ends the call first; never rejects. */
  readonly outcome: Promise<Outcome>;
  /** Of the pack that was handed the call. */
  readonly artifactVersion: string;
  /** When a thread began it, in `performance.now()` milliseconds; undefined while it waits, and once it is over. */
  beganAt(): number | undefined;
  /** Ends the call for its caller now: answered with the reason, its handler signalled. */
  end(reason: CancelReason): void;
}

/** A limit that a call has passed, in the limit's own unit. */
export interface Excess {
  readonly limit: 'memMB' | 'cpuMs';
  readonly value: number;
  readonly used: number;
}

/** A call from its arrival in the pool on. It settles once, by whatever comes first. */
export class PooledCall {
  readonly request: CallRequest;
  readonly outcome: Promise<Outcome>;
  /** When it came, in `performance.now()` milliseconds. */
  readonly arrivedAt = performance.now();
  /** When it ended although its handler had not settled. */
  endedAt: number | undefined;
  settled = false;
  /** The thread it was posted to, until its handler has settled or it is taken back. */
  thread: Thread | undefined;
  /** Its place among the calls of its thread. */
  sequence = 0;
  #resolve: (outcome: Outcome) => void = () => {};

  constructor(request: CallRequest) {
    this.request = request;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** As `PendingCall` says. */
  get beganAt(): number | undefined {
    return this.thread?.isFirst(this) === true ? this.thread.movedAt : undefined;
  }

  settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    this.#resolve(outcome);
  }

  /** Its caller waits no longer. */
  end(reason: CancelReason): void {
    this.endedAt = performance.now();
    const message = reason === 'deadline-exceeded' ? 'The deadline passed before there was a result.' : 'The call was cancelled before there was a result.';
    this.#fail(reason, message);
  }

  /** Its thread is gone. */
  loseThread(cause: Cause): void {
    this.#fail('handler-throw', `${nameOf(this.request.tags)} lost its thread: ${cause.message}`, cause);
  }

  /** It took more than its profile allows. */
  exceedLimit({ limit, value, used }: Excess): void {
    const message = `${nameOf(this.request.tags)} passed its limit of ${value} ${limit}: it used ${used}.`;
    this.#fail('handler-throw', message, { name: 'ResourceLimitExceeded', message, limit, value, used });
  }

  #fail(outcome: Exclude<CallOutcome, 'ok'>, message: string, cause?: Cause): void {
    const { toolId, checkId } = this.request.tags;
    const body = JSON.stringify(errorMessage(outcome, message, { toolId, checkId, ...(cause ? { cause } : {}) }));
    this.settle({ kind: 'answer', outcome, body });
  }
}

function nameOf({ toolId, checkId }: CallTags): string {
  return toolId === undefined ? `Check "${checkId}"` : `Tool "${toolId}"`;
}
