import type { CallTags } from '../../protocol/call-tags.js';
import type { CallOutcome, CancelReason } from '../../protocol/errors.js';
import { type Cause, errorMessage } from '../../protocol/messages.js';
import type { AnswerBody, MessageBody } from '../link/messages.js';

/** A call as the scheduler takes it. */
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
  /** When its thread began it, in milliseconds of the clock; undefined while it waits, and once it is over. */
  beganAt(): number | undefined;
  /** Ends the call for its caller now, with the reason as its outcome; its handler is signalled. */
  end(reason: CancelReason): void;
}

/** A limit that a call has passed, in the limit's own unit. */
export interface Excess {
  readonly limit: 'memMB' | 'cpuMs';
  readonly value: number;
  readonly used: number;
}

/** Sees a call through. */
export interface CallOwner {
  readonly artifactVersion: string;
  beganAt(call: ScheduledCall): number | undefined;
  end(call: ScheduledCall, reason: CancelReason): void;
}

/** A call from its arrival at the scheduler on. It settles once, by whatever comes first. */
export class ScheduledCall implements PendingCall {
  readonly request: CallRequest;
  readonly outcome: Promise<Outcome>;
  readonly arrivedAt: number;
  /** When it ended although its handler had not settled. */
  endedAt: number | undefined;
  settled = false;
  /** Its place among the calls of its thread. */
  sequence = 0;
  /** How often a thread that did not begin it had it taken back. */
  timesTakenBack = 0;
  readonly #owner: CallOwner;
  #resolve: (outcome: Outcome) => void = () => {};

  constructor(request: CallRequest, arrivedAt: number, owner: CallOwner) {
    this.request = request;
    this.arrivedAt = arrivedAt;
    this.#owner = owner;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
  }

  get artifactVersion(): string {
    return this.#owner.artifactVersion;
  }

  beganAt(): number | undefined {
    return this.#owner.beganAt(this);
  }

  end(reason: CancelReason): void {
    this.#owner.end(this, reason);
  }

  settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    this.#resolve(outcome);
  }

  /** Its caller waits no longer. */
  giveUp(reason: CancelReason, now: number): void {
    this.endedAt = now;
    this.#fail(reason, `The ${reason === 'deadline-exceeded' ? 'deadline passed' : 'call was cancelled'} before there was a result.`);
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
