import type { Outcome } from './outcome.js';

/** What all guardrails together ask of the run. */
export interface Summary {
  /** The strongest of all actions, `noop` when there is none. */
  readonly action: string;
  /** Every action that some guardrail asks for, the strongest first. */
  readonly actions: readonly string[];
  readonly passed: number;
  readonly violations: number;
  readonly errors: number;
  readonly skipped: number;
  /** For a model that is to try again: why the guardrails whose action is `retry` failed its answer. */
  readonly feedback: readonly string[];
  /** How many answers of this run each guardrail has failed: the option of that name for the next answer. */
  readonly failedAnswers: Readonly<Record<string, number>>;
}

/** The strongest first; the names that are the caller's come between the two lists, in the order in which they came up. */
const stronger: readonly string[] = ['halt', 'compensate', 'escalate', 'retry'];
const weaker: readonly string[] = ['log-only'];

/** Sums outcomes up. An error counts as a `halt`, or as `log-only` for a guardrail that never does more: what could not be judged has not passed. */
export function summarize(outcomes: readonly Outcome[], failedBefore: Readonly<Record<string, number>> = {}): Summary {
  const asked = outcomes.flatMap((outcome) => (outcome.kind === 'skip' || outcome.action === 'noop' ? [] : [outcome.action]));
  const actions = byStrength([...new Set(asked)]);
  const evaluated = outcomes.filter((outcome) => outcome.kind === 'ok');
  const violations = evaluated.filter(({ passed }) => !passed);
  const retried = violations.filter(({ action }) => action === 'retry');
  return {
    action: actions[0] ?? 'noop',
    actions,
    passed: evaluated.length - violations.length,
    violations: violations.length,
    errors: outcomes.filter(({ kind }) => kind === 'error').length,
    skipped: outcomes.filter(({ kind }) => kind === 'skip').length,
    feedback: retried.map(({ guardrailId, reason }) => reason ?? `It failed the guardrail "${guardrailId}".`),
    failedAnswers: { ...failedBefore, ...Object.fromEntries(violations.flatMap(({ guardrailId, retry }) => (retry ? [[guardrailId, retry.failedAnswers]] : []))) },
  };
}

function byStrength(actions: readonly string[]): string[] {
  const isOwn = (action: string): boolean => !stronger.includes(action) && !weaker.includes(action);
  return [...stronger.filter((action) => actions.includes(action)), ...actions.filter(isOwn), ...weaker.filter((action) => actions.includes(action))];
}
