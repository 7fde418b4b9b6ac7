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

/** What a check thread gets when it starts: the id of the job it runs, 0 between jobs, in an Int32 that a busy thread cannot say otherwise. */
export interface CheckThreadData {
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
export interface FromCheckThread {
  readonly jobId: number;
  readonly answer: CheckJobAnswer;
}
