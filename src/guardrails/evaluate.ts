import type { CheckVerdict } from '../checks/check.js';
import type { Mode, RunTrace } from '../checks/trace.js';
import { causeOf, messageOf } from '../protocol/thrown.js';
import { applyAction } from './actions.js';
import { type DefinedGuardrail, defineOrFind, InvalidGuardrail } from './definition.js';
import type { Guardrail, GuardrailDefinition, Scope } from './guardrail.js';
import { askJudge } from './judge.js';
import { checkOptions, type EvaluationOptions, registered } from './options.js';
import { EvaluationFailure, type Failed, type Outcome } from './outcome.js';
import { summarize, type Summary } from './summary.js';
import { withinTime } from './time-limit.js';
import { runCheck, verdictOf } from './zero-llm.js';

/** What came of all guardrails on one trace, in their order. */
export interface Evaluation {
  readonly outcomes: readonly Outcome[];
  readonly summary: Summary;
}

const defaultRemoteTimeLimitMs = 60_000;

/**
 * Evaluates one guardrail on one trace. Whatever goes wrong while it is evaluated is an outcome of kind
 * `error`; a guardrail that is none is thrown as InvalidGuardrail, options or a trace that are none as TypeError.
 */
export async function evaluateGuardrail(guardrail: GuardrailDefinition, trace: RunTrace, options: EvaluationOptions = {}): Promise<Outcome> {
  checkOptions(options);
  return evaluateDefined(defineOrFind(guardrail, options), traceFor(trace, options), options);
}

/** Evaluates guardrails on one trace, side by side, and sums up what the run must do. Throws as `evaluateGuardrail` does, before any is evaluated. */
export async function evaluateAll(guardrails: readonly GuardrailDefinition[], trace: RunTrace, options: EvaluationOptions = {}): Promise<Evaluation> {
  checkOptions(options);
  const defined = defineAll(guardrails, options);
  const judged = traceFor(trace, options);
  const outcomes = await Promise.all(defined.map((each) => evaluateDefined(each, judged, options)));
  return { outcomes, summary: summarize(outcomes, options.failedAnswers) };
}

/** All issues of all guardrails come at once. */
function defineAll(guardrails: readonly GuardrailDefinition[], options: EvaluationOptions): DefinedGuardrail[] {
  const defined: DefinedGuardrail[] = [];
  const issues: InvalidGuardrail['issues'][number][] = [];
  for (const [at, guardrail] of guardrails.entries()) {
    try {
      const one = defineOrFind(guardrail, options);
      if (defined.some((other) => other.guardrail.id === one.guardrail.id)) issues.push({ instancePath: `/${at}/id`, message: `must not be "${one.guardrail.id}", which another guardrail has` });
      defined.push(one);
    } catch (error) {
      if (!(error instanceof InvalidGuardrail)) throw error;
      issues.push(...error.issues.map((issue) => ({ ...issue, instancePath: `/${at}${issue.instancePath}` })));
    }
  }
  if (issues.length > 0) throw new InvalidGuardrail(undefined, issues);
  return defined;
}

function traceFor(trace: RunTrace, { mode = trace?.mode ?? 'runtime' }: EvaluationOptions): RunTrace {
  if (typeof trace !== 'object' || trace === null || Array.isArray(trace)) throw new TypeError('A trace must be an object.');
  return trace.mode === mode ? trace : { ...trace, mode };
}

async function evaluateDefined(defined: DefinedGuardrail, trace: RunTrace, options: EvaluationOptions): Promise<Outcome> {
  const { guardrail } = defined;
  const { id: guardrailId, severity = 'error', scope = {} } = guardrail;
  const reason = outOfScope(scope, trace, trace.mode ?? 'runtime');
  if (reason !== undefined) return { kind: 'skip', guardrailId, severity, reason };
  try {
    return await applyAction(guardrail, await judge(defined, trace, options), trace, options);
  } catch (error) {
    return failed(guardrail, error);
  }
}

/** Has the guardrail judged in the way of its kind. */
async function judge(defined: DefinedGuardrail, trace: RunTrace, options: EvaluationOptions): Promise<CheckVerdict> {
  const { guardrail } = defined;
  const { id, kind, check, budget } = guardrail;
  if (kind === 'zero-llm') return runCheck(defined, trace, options);
  if (kind === 'llm-judge') return askJudge(guardrail, trace, options);
  const strategy = registered(options.strategies, kind);
  if (strategy === undefined) throw new EvaluationFailure('unknown-kind', `Guardrail "${id}" is of kind ${kind}; register a strategy for that kind to evaluate it.`);
  const limitMs = budget?.maxLatencyMs ?? options.remoteTimeLimitMs ?? defaultRemoteTimeLimitMs;
  const late = (): EvaluationFailure => new EvaluationFailure('deadline-exceeded', `The strategy for ${kind} took longer than ${limitMs} ms.`);
  return verdictOf(await withinTime(limitMs, late, async (abortSignal) => strategy({ guardrail, trace, abortSignal })), check);
}

function failed({ id: guardrailId, severity = 'error', action, check }: Guardrail, error: unknown): Failed {
  const outcome = { kind: 'error', guardrailId, severity, action: action['on-violation'] === 'log-only' ? 'log-only' : 'halt' } as const;
  if (error instanceof EvaluationFailure) {
    const { thrown, ...details } = error.details;
    return { ...outcome, code: error.code, message: error.message, ...(thrown ? { cause: thrown } : {}), ...details };
  }
  const cause = causeOf(error);
  return { ...outcome, code: 'handler-throw', message: `Check "${check}" threw: ${messageOf(cause)}`, cause };
}

/** Why a guardrail is not for this run; undefined when it is. */
function outOfScope({ when = 'always', agents = [], flows = [], tenants = [] }: Scope, trace: RunTrace, mode: Mode): string | undefined {
  if (when === 'ci-only' && mode !== 'ci') return `It is for builds only (ci-only); this run is judged as ${mode}.`;
  if (when === 'runtime-only' && mode !== 'runtime') return `It is for run time only (runtime-only); this run is judged as ${mode}.`;
  return notAmong('agents', agents, trace.agentId) ?? notAmong('flows', flows, trace.flowId) ?? notAmong('tenants', tenants, trace.tenantId);
}

function notAmong(what: 'agents' | 'flows' | 'tenants', listed: readonly string[], id: string | null | undefined): string | undefined {
  if (listed.length === 0 || (typeof id === 'string' && listed.includes(id))) return undefined;
  const own = typeof id === 'string' ? `this run's ${what.slice(0, -1)} is ${id}` : `this run has no ${what.slice(0, -1)}`;
  return `It is for the ${what} ${listed.join(', ')}; ${own}.`;
}
