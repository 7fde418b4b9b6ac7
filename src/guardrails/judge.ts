import type { CheckVerdict } from '../checks/check.js';
import type { RunTrace } from '../checks/trace.js';
import type { Guardrail } from './guardrail.js';
import { EvaluationFailure } from './outcome.js';
import { withinTime } from './time-limit.js';

/** What a judge is asked. */
export interface JudgeRequest {
  readonly guardrailId: string;
  readonly rubric: string;
  /** The guardrail's whole config, with what the judge alone understands. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly trace: RunTrace;
  /** What the model must be able to do. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** In US dollars; a judge that is given this must answer what it cost. */
  readonly maxCostUsd?: number;
  /** Fires when the judge's time is over. */
  readonly abortSignal: AbortSignal;
}

/** What a judge answers. */
export interface Judgement {
  /** From 0 to 1; the guardrail passes from its `threshold` on. */
  readonly score: number;
  readonly reason?: string;
  /** What the model said, kept as `judgeResponse`. */
  readonly response?: string;
  readonly costUsd?: number;
}

/** Scores a run by a rubric, with whatever model the caller has. */
export type Judge = (request: JudgeRequest) => Judgement | Promise<Judgement>;

const defaultThreshold = 0.5;
const defaultTimeLimitMs = 60_000;

/** The config of a guardrail of kind `llm-judge`; further keys are the judge's. */
export const judgeConfigSchema = {
  type: 'object',
  required: ['rubric'],
  properties: {
    rubric: { type: 'string', minLength: 1, description: 'What the run is judged by.' },
    threshold: { type: 'number', minimum: 0, maximum: 1, default: defaultThreshold, description: 'The least score that passes.' },
  },
};

/** Of the evaluation's options, those for a judge. */
interface JudgeOptions {
  readonly judge?: Judge;
  readonly remoteTimeLimitMs?: number;
}

/** Asks the judge, within the guardrail's budget; throws EvaluationFailure. */
export async function askJudge({ id, config = {}, budget = {}, judgeCapabilities }: Guardrail, trace: RunTrace, { judge, remoteTimeLimitMs = defaultTimeLimitMs }: JudgeOptions): Promise<CheckVerdict> {
  if (judge === undefined) throw new EvaluationFailure('judge-missing', `Guardrail "${id}" is of kind llm-judge; supply a judge to evaluate it.`);
  const { maxCostUsd, maxLatencyMs } = budget;
  const { rubric, threshold = defaultThreshold } = config as { readonly rubric: string; readonly threshold?: number };
  const late = (): EvaluationFailure =>
    maxLatencyMs === undefined
      ? new EvaluationFailure('deadline-exceeded', `The judge of guardrail "${id}" took longer than ${remoteTimeLimitMs} ms.`)
      : new EvaluationFailure('judge-over-budget', `The judge of guardrail "${id}" took longer than its budget of ${maxLatencyMs} ms.`);
  const request = { guardrailId: id, rubric, config, trace, ...(judgeCapabilities === undefined ? {} : { capabilities: judgeCapabilities }), ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
  // In a promise at once, so that a judge that answers late without waiting is late as well.
  const judgement: unknown = await withinTime(maxLatencyMs ?? remoteTimeLimitMs, late, async (abortSignal) => judge({ ...request, abortSignal }));
  if (!isJudgement(judgement)) throw new EvaluationFailure('judge-shape-invalid', `The judge of guardrail "${id}" must answer an object with a \`score\` from 0 to 1.`);
  const { score, reason, response, costUsd } = judgement;
  const verdict: CheckVerdict = {
    passed: score >= threshold,
    ...(typeof reason === 'string' ? { reason } : score >= threshold ? {} : { reason: `The judge scored ${score}, less than ${threshold}.` }),
    ...(typeof response === 'string' ? { judgeResponse: response } : {}),
    attributes: { score, threshold, ...(typeof costUsd === 'number' ? { costUsd } : {}) },
  };
  if (maxCostUsd === undefined) return verdict;
  if (typeof costUsd !== 'number' || Number.isNaN(costUsd)) throw new EvaluationFailure('judge-shape-invalid', `The judge of guardrail "${id}" must answer \`costUsd\`: the guardrail's budget bounds it.`, { verdict });
  if (costUsd > maxCostUsd) throw new EvaluationFailure('judge-over-budget', `The judge of guardrail "${id}" cost ${costUsd} US dollars, more than its budget of ${maxCostUsd}.`, { verdict });
  return verdict;
}

function isJudgement(value: unknown): value is Judgement {
  if (typeof value !== 'object' || value === null) return false;
  const { score } = value as { readonly score?: unknown };
  return typeof score === 'number' && score >= 0 && score <= 1;
}
