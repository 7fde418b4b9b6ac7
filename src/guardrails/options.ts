import type { CheckVerdict } from '../checks/check.js';
import { isBuiltInCheckId } from '../checks/index.js';
import type { Mode, RunTrace } from '../checks/trace.js';
import type { DefinitionOptions } from './definition.js';
import type { CheckDefinition, CheckModule, Guardrail, RemoteCheck } from './guardrail.js';
import type { Judge } from './judge.js';
import type { Evaluated } from './outcome.js';

/** Evaluates the guardrails of a kind in the caller's own way. */
export type Strategy = (request: { readonly guardrail: Guardrail; readonly trace: RunTrace; readonly abortSignal: AbortSignal }) => CheckVerdict | Promise<CheckVerdict>;

/** Does what a violation asks for; what it answers is kept as `handled.result`. */
export type ActionHandler = (violation: Evaluated, trace: RunTrace) => unknown;

/** What guardrails are evaluated with. Times are in milliseconds. */
export interface EvaluationOptions extends DefinitionOptions {
  /** Where the run is judged; the trace's own `mode` by default, `runtime` where it has none. */
  readonly mode?: Mode;
  /** Checks by id, beside packhost's own. */
  readonly checks?: Readonly<Record<string, CheckDefinition | CheckModule | RemoteCheck>>;
  /** Answers for guardrails of kind `llm-judge`. */
  readonly judge?: Judge;
  /** For `external` and other kinds, by kind. */
  readonly strategies?: Readonly<Record<string, Strategy>>;
  /** By the name of the action. Where this is given, an action that is neither here nor packhost's own is an error. */
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  /** How many answers of this run each guardrail has failed already: `summary.failedAnswers` of the evaluation before. */
  readonly failedAnswers?: Readonly<Record<string, number>>;
  /** How long a check may take; 1,000 by default. */
  readonly timeLimitMs?: number;
  /** How long a judge or a strategy may take where the guardrail's budget says nothing; 60,000 by default. */
  readonly remoteTimeLimitMs?: number;
}

/** Throws a TypeError for options that no guardrail could be evaluated with. */
export function checkOptions({ checks = {}, strategies = {}, timeLimitMs = 1, remoteTimeLimitMs = 1, mode = 'ci' }: EvaluationOptions): void {
  const reservedChecks = Object.keys(checks).filter(isBuiltInCheckId);
  const reservedKinds = Object.keys(strategies).filter((kind) => kind === 'zero-llm' || kind === 'llm-judge');
  const problems = [
    ...reservedChecks.map((id) => `checks: "${id}" is a check of packhost's own; register yours under another id`),
    ...reservedKinds.map((kind) => `strategies: "${kind}" is a kind of packhost's own; register yours under another name`),
    ...Object.entries({ timeLimitMs, remoteTimeLimitMs }).filter(([, value]) => !(value > 0 && value < 2 ** 31)).map(([name, value]) => `${name}: must be a positive number of milliseconds, not ${value}`),
    ...(mode === 'ci' || mode === 'runtime' ? [] : [`mode: must be ci or runtime, not ${String(mode)}`]),
  ];
  if (problems.length > 0) throw new TypeError(`The evaluation's options are invalid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
}

/** What is registered under a name, and not what every object inherits. */
export function registered<T>(registry: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return registry !== undefined && Object.hasOwn(registry, name) ? registry[name] : undefined;
}
