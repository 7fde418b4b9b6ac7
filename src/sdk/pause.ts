import { isRecord } from './kinds.js';

/** The longest that a run may wait: 24 days, in milliseconds. */
export const MAX_PAUSE_TIMEOUT_MS = 24 * 24 * 60 * 60 * 1000;

/** A call's wait token: its id, and the link the other system posts its answer to. */
export interface WaitToken {
  readonly id: string;
  readonly url: string;
}

/** How long a pause lasts at most (1 ms to 24 days; 24 hours when left out), and what it waits for in a few words. */
export interface PauseOptions {
  readonly timeoutMs?: number;
  readonly name?: string;
}

// Registered, since pack code may have another copy of this module than the host.
const brand = Symbol.for('packhost.pause');

/** What a pausing tool's handler returns: the run waits for the system that `waitToken.url` was handed to. */
export interface PauseAnswer extends PauseOptions {
  readonly [brand]: true;
}

/** The call has no wait token: its tool does not declare `pauses: true`, or the runtime that called it cannot pause. */
export class PauseNotAvailable extends Error {
  override readonly name = 'PauseNotAvailable';

  constructor(message = 'This call cannot pause: the runtime that made it sent no wait token.') {
    super(message);
  }
}

/** The answer that `ctx.pause()` gives, for a test to compare with. Throws RangeError on a time that no pause can last, TypeError on a name that is no text. */
export function pause({ timeoutMs, name }: PauseOptions = {}): PauseAnswer {
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_PAUSE_TIMEOUT_MS)) {
    throw new RangeError(`timeoutMs must be a whole number from 1 to ${MAX_PAUSE_TIMEOUT_MS} (24 days), not ${String(timeoutMs)}`);
  }
  if (name !== undefined && (typeof name !== 'string' || name === '')) throw new TypeError('name must be text that is not empty');
  const answer = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(name === undefined ? {} : { name }) };
  return Object.defineProperty(answer, brand, { value: true }) as PauseAnswer;
}

/** Whether a handler's return value is a pause. */
export function isPause(value: unknown): value is PauseAnswer {
  return isRecord(value) && (value as Partial<PauseAnswer>)[brand] === true;
}
