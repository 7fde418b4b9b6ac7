import type { CheckVerdict } from '../checks/check.js';
import { builtInCheck, isBuiltInCheckId } from '../checks/index.js';
import { outputOf, type RunTrace } from '../checks/trace.js';
import { messageOf } from '../protocol/thrown.js';
import type { CheckSource } from '../threads/link/check-jobs.js';
import { sharedCheckThreads } from './bounded/check-threads.js';
import type { DefinedGuardrail } from './definition.js';
import type { CheckDefinition, CheckModule } from './guardrail.js';
import { type EvaluationOptions, registered } from './options.js';
import { EvaluationFailure } from './outcome.js';
import { withinTime } from './time-limit.js';
import { validatorOf } from './validation.js';

type Config = Readonly<Record<string, unknown>>;

const defaultTimeLimitMs = 1_000;

/** Runs a guardrail's check; throws EvaluationFailure, or whatever the check throws. */
export async function runCheck({ guardrail, ownCheck }: DefinedGuardrail, trace: RunTrace, { checks, timeLimitMs = defaultTimeLimitMs }: EvaluationOptions): Promise<CheckVerdict> {
  const { check: checkId, config = {} } = guardrail;
  if (isBuiltInCheckId(checkId)) {
    const check = builtInCheck(checkId);
    // Patterns look at the output alone.
    return check.mayHang(config) ? inThread({ kind: 'built-in', id: checkId }, config, { output: outputOf(trace) }, checkId, timeLimitMs) : check.evaluate(config, trace);
  }
  const check = ownCheck ?? registered(checks, checkId);
  if (check === undefined) throw new EvaluationFailure('check-not-in-pack', `No check "${checkId}" is registered, and it is none of packhost's own.`);
  if ('call' in check) return verdictOf(await check.call(config, trace), checkId);
  refuseConfig(checkId, check, config);
  if ('module' in check) return verdictOf(await inThread({ kind: 'module', url: String(check.module), checkId }, config, trace, checkId, timeLimitMs), checkId);
  const result: unknown = await withinTime(timeLimitMs, () => tooLate(checkId, timeLimitMs), (abortSignal) => check.evaluate(config as never, trace, { abortSignal }));
  return verdictOf(result, checkId);
}

function refuseConfig(checkId: string, { configSchema }: CheckDefinition | CheckModule, config: Config): void {
  if (configSchema === undefined) return;
  const issues = validatorOf(configSchema as object)(config);
  const [first] = issues;
  if (first) throw new EvaluationFailure('input-validation-failed', `Check "${checkId}" config failed validation at ${first.instancePath || '/'}: ${first.message}`, { issues });
}

async function inThread(check: CheckSource, config: Config, trace: unknown, checkId: string, timeLimitMs: number): Promise<CheckVerdict> {
  const answer = await sharedCheckThreads().run({ check, config, trace, timeLimitMs });
  switch (answer.kind) {
    case 'result':
      return answer.result as CheckVerdict;
    case 'not-json':
      throw new EvaluationFailure('output-validation-failed', `The result of check "${checkId}" is not JSON: ${answer.message}`);
    case 'threw':
      throw new EvaluationFailure('handler-throw', `Check "${checkId}" threw: ${messageOf(answer.cause)}`, { thrown: answer.cause });
    case 'import-failed':
      throw new EvaluationFailure('handler-import-failed', `The module of check "${checkId}" could not be loaded: ${messageOf(answer.cause)}`, { thrown: answer.cause });
    case 'no-check':
      throw new EvaluationFailure('check-shape-invalid', answer.message);
    case 'timed-out':
      throw tooLate(checkId, timeLimitMs);
    case 'no-thread':
      throw new EvaluationFailure('no-thread', `Check "${checkId}" did not run: ${answer.reason}.`);
    case 'died':
      throw new EvaluationFailure('handler-throw', `Check "${checkId}" lost its thread: ${answer.message}`, { thrown: { name: 'WorkerExited', message: answer.message } });
  }
}

function tooLate(checkId: string, timeLimitMs: number): EvaluationFailure {
  return new EvaluationFailure('deadline-exceeded', `Check "${checkId}" took longer than ${timeLimitMs} ms.`);
}

/** The fields of a check's result that packhost knows. */
export function verdictOf(result: unknown, checkId: string): CheckVerdict {
  const { passed, reason, judgeResponse, attributes } = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  if (typeof passed !== 'boolean') throw new EvaluationFailure('check-shape-invalid', `Check "${checkId}" must answer an object with a boolean \`passed\`.`);
  return {
    passed,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof judgeResponse === 'string' ? { judgeResponse } : {}),
    ...(typeof attributes === 'object' && attributes !== null ? { attributes: attributes as Record<string, unknown> } : {}),
  };
}
