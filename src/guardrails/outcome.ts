import type { CheckVerdict } from '../checks/check.js';
import type { Cause, Issue } from '../protocol/messages.js';
import type { Severity } from './guardrail.js';

/** Why a guardrail could not be evaluated. Where the pack protocol has a code for it, this is the one. */
export type FailureCode =
  | 'check-not-in-pack'
  | 'input-validation-failed'
  | 'output-validation-failed'
  | 'handler-import-failed'
  | 'handler-throw'
  | 'check-shape-invalid'
  | 'deadline-exceeded'
  | 'cancelled'
  /** No strategy is registered for the guardrail's kind. */
  | 'unknown-kind'
  /** The guardrail is an `llm-judge` and the caller supplied no judge. */
  | 'judge-missing'
  /** The judge answered something that is no judgement. */
  | 'judge-shape-invalid'
  /** The judge took more than the guardrail's budget. */
  | 'judge-over-budget'
  /** The caller has action handlers, and none of this name. */
  | 'unknown-action'
  /** The check did not run: the system refuses the thread that it needs. */
  | 'no-thread';

/** What came of handing a violation to its action's handler. */
export type Handled = { readonly kind: 'done'; readonly result: unknown } | { readonly kind: 'failed'; readonly cause: Cause };

/** A guardrail that was evaluated. */
export interface Evaluated extends CheckVerdict {
  readonly kind: 'ok';
  readonly guardrailId: string;
  readonly severity: Severity;
  /** `noop` when it passed; else what is to be done, where a retry that is used up is a `halt`. */
  readonly action: string;
  /** For a guardrail whose action is `retry`: how many answers have failed it with this one, of how many that may. */
  readonly retry?: { readonly failedAnswers: number; readonly maxAttempts: number };
  readonly escalateTo?: string;
  readonly compensateWith?: string;
  /** Present when a handler was registered for the action. */
  readonly handled?: Handled;
}

/** A guardrail that is not for this run. */
export interface Skipped {
  readonly kind: 'skip';
  readonly guardrailId: string;
  readonly severity: Severity;
  readonly reason: string;
}

/** A guardrail that could not be evaluated. */
export interface Failed {
  readonly kind: 'error';
  readonly guardrailId: string;
  readonly severity: Severity;
  /** What the run is to do about it: `halt`, or `log-only` for a guardrail that never does more. */
  readonly action: 'halt' | 'log-only';
  readonly code: FailureCode;
  readonly message: string;
  readonly cause?: Cause;
  readonly issues?: readonly Issue[];
  /** The verdict, where there was one before this came up. */
  readonly verdict?: CheckVerdict;
}

/** What came of one guardrail on one trace. */
export type Outcome = Evaluated | Skipped | Failed;

/** Thrown on the way to an outcome of kind `error`; a check that throws one chooses the code. */
export class EvaluationFailure extends Error {
  override readonly name = 'EvaluationFailure';
  readonly code: FailureCode;
  readonly details: Pick<Failed, 'issues' | 'verdict'> & { readonly thrown?: Cause };

  constructor(code: FailureCode, message: string, details: EvaluationFailure['details'] = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
