import type { BuiltInCheckId } from '../../checks/index.js';
import type { Cause } from '../../protocol/messages.js';

/*
 * What an evaluator and its check threads say to each other: plain data, as between the service's threads.
 */

/** Which check to run: one of packhost's own, or one that a module exports. */
export type CheckSource = { readonly kind: 'built-in'; readonly id: BuiltInCheckId } | { readonly kind: 'module'; readonly url: string; readonly checkId: string };

/** One check to run on one trace. */
export interface CheckJob {
  readonly jobId: number;
  readonly check: CheckSource;
  readonly config: Readonly<Record<string, unknown>>;
  readonly trace: unknown;
  readonly timeLimitMs: number;
}

/** What a check thread gets when it starts. */
export interface CheckThreadData {
  /**
   * One Int32, since a busy thread cannot say it otherwise: the id of the job that it runs, the negative id of the
   * last one between jobs, 0 before the first. It changes with every job that begins or ends.
   */
  readonly progress: SharedArrayBuffer;
}

/** What came of a job in its thread; a result is in its JSON form and not yet looked at. */
export type CheckJobAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'not-json'; readonly message: string }
  | { readonly kind: 'threw'; readonly cause: Cause }
  | { readonly kind: 'import-failed'; readonly cause: Cause }
  | { readonly kind: 'no-check'; readonly message: string };

/** Thread to evaluator. */
export type FromCheckThread =
  /** It takes jobs now. */
  | { readonly kind: 'started' }
  | { readonly kind: 'answer'; readonly jobId: number; readonly answer: CheckJobAnswer };
