import type { CheckVerdict } from '../checks/check.js';
import type { RunTrace } from '../checks/trace.js';
import { causeOf } from '../protocol/thrown.js';
import { builtInActions, type Guardrail } from './guardrail.js';
import { type EvaluationOptions, registered } from './options.js';
import { type Evaluated, EvaluationFailure, type Handled } from './outcome.js';

const defaultMaxAttempts = 2;

/**
 * What a verdict comes to: nothing when it passed, else the guardrail's action, handed to its handler
 * where there is one. A handler that fails changes nothing about the violation. Throws
 * EvaluationFailure, with the verdict, for an action that nobody knows.
 */
export async function applyAction(guardrail: Guardrail, verdict: CheckVerdict, trace: RunTrace, { actions, failedAnswers }: EvaluationOptions): Promise<Evaluated> {
  const { id: guardrailId, severity = 'error', action } = guardrail;
  const outcome = { ...verdict, kind: 'ok', guardrailId, severity } as const;
  if (verdict.passed) return { ...outcome, action: 'noop' };
  const name = action['on-violation'];
  if (actions !== undefined && !isBuiltIn(name) && registered(actions, name) === undefined) {
    throw new EvaluationFailure('unknown-action', `Guardrail "${guardrailId}" asks for the action "${name}", for which no handler is registered.`, { verdict });
  }
  const violation: Evaluated = { ...outcome, ...decide(guardrail, registered(failedAnswers, guardrailId) ?? 0) };
  const handler = registered(actions, violation.action);
  if (handler === undefined) return violation;
  return { ...violation, handled: await handle(async () => handler(violation, trace)) };
}

/** What the action says is to be done, given how many answers have failed the guardrail before. */
function decide({ action }: Guardrail, failedBefore: number): Pick<Evaluated, 'action' | 'retry' | 'escalateTo' | 'compensateWith'> {
  const { 'on-violation': name, retry, escalateTo, compensateWith } = action;
  switch (name) {
    case 'retry': {
      const maxAttempts = retry?.maxAttempts ?? defaultMaxAttempts;
      const failedAnswers = failedBefore + 1;
      return { action: failedAnswers < maxAttempts ? 'retry' : 'halt', retry: { failedAnswers, maxAttempts } };
    }
    case 'escalate':
      return { action: name, ...(escalateTo === undefined ? {} : { escalateTo }) };
    case 'compensate':
      return { action: name, ...(compensateWith === undefined ? {} : { compensateWith }) };
    default:
      return { action: name };
  }
}

async function handle(work: () => Promise<unknown>): Promise<Handled> {
  try {
    return { kind: 'done', result: await work() };
  } catch (error) {
    return { kind: 'failed', cause: causeOf(error) };
  }
}

function isBuiltIn(name: string): boolean {
  return (builtInActions as readonly string[]).includes(name);
}
