import type { Outcome, Severity, Summary } from '../../guardrails/index.js';
import { severities } from '../../guardrails/index.js';
import type { Place } from './trace-files.js';

/** What came of one trace: its verdicts, or why it could not be read. */
export type TraceResult = Place & ({ readonly kind: 'judged'; readonly runId: string | undefined; readonly outcomes: readonly Outcome[]; readonly summary: Summary } | { readonly kind: 'unreadable'; readonly problem: string });

/** Receives the results one by one, in the order of the traces, and then the end. */
export interface Report {
  add(result: TraceResult): Promise<void> | void;
  end(totals: Totals): Promise<void> | void;
}

/** Whether an outcome stops the build: a violation that is bad enough and more than logged, or a guardrail that could not be evaluated. */
export function stopsBuild(outcome: Outcome, failOn: Severity): boolean {
  if (outcome.kind === 'error') return true;
  if (outcome.kind === 'skip' || outcome.passed || outcome.action === 'log-only') return false;
  return severities.indexOf(outcome.severity) >= severities.indexOf(failOn);
}

/** How an outcome is called in reports. */
export function verdictName(outcome: Outcome): 'passed' | 'failed' | 'skipped' | 'error' {
  if (outcome.kind === 'skip') return 'skipped';
  if (outcome.kind === 'error') return 'error';
  return outcome.passed ? 'passed' : 'failed';
}

/** Why an outcome is what it is; nothing for one that passed without a word. */
export function reasonOf(outcome: Outcome): string {
  return outcome.kind === 'error' ? `${outcome.code}: ${outcome.message}` : (outcome.reason ?? '');
}

/** Counts over all traces. */
export class Totals {
  traces = 0;
  unreadable = 0;
  passed = 0;
  failed = 0;
  errors = 0;
  skipped = 0;
  /** Outcomes and traces that stop the build. */
  stopping = 0;
  readonly #failOn: Severity;

  constructor(failOn: Severity) {
    this.#failOn = failOn;
  }

  add(result: TraceResult): void {
    this.traces++;
    if (result.kind === 'unreadable') {
      this.unreadable++;
      this.stopping++;
      return;
    }
    const { passed, violations, errors, skipped } = result.summary;
    this.passed += passed;
    this.failed += violations;
    this.errors += errors;
    this.skipped += skipped;
    this.stopping += result.outcomes.filter((outcome) => stopsBuild(outcome, this.#failOn)).length;
  }
}
