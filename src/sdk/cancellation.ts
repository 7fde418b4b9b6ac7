import type { CancelReason } from '../protocol/errors.js';

/** The reason of a call's `abortSignal`: its deadline passed, or its caller is gone. */
export class CallCancelled extends Error {
  override readonly name = 'CallCancelled';
  readonly reason: CancelReason;

  constructor(reason: CancelReason) {
    super(reason);
    this.reason = reason;
  }
}
