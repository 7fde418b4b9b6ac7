/**
 * Guardrails as a library: one definition, judged here as it is in a service and in a build.
 *
 *     import { evaluateAll } from 'packhost/guardrails';
 *
 *     const cites = { id: 'cites', kind: 'zero-llm', check: 'must-cite', action: { 'on-violation': 'halt' } };
 *     const { summary, outcomes } = await evaluateAll([cites], { output: 'As shown in [1].' });
 *     if (summary.action === 'halt') throw new Error('the run must stop');
 */
export type { CheckVerdict } from '../checks/check.js';
export { type BuiltInCheckId, builtInCheckIds, isBuiltInCheckId } from '../checks/index.js';
export type { Mode, RunTrace, ToolCallRecord } from '../checks/trace.js';
export { defineGuardrail, type DefinitionOptions, guardrailFromIndex, type GuardrailIndexEntry, InvalidGuardrail } from './definition.js';
export { evaluateAll, evaluateGuardrail, type Evaluation } from './evaluate.js';
export {
  type Action,
  type CheckBindings,
  type CheckDefinition,
  type CheckModule,
  type Evaluate,
  type Guardrail,
  type GuardrailDefinition,
  type RemoteCheck,
  type Scope,
  severities,
  type Severity,
} from './guardrail.js';
export type { Judge, Judgement, JudgeRequest } from './judge.js';
export type { ActionHandler, EvaluationOptions, Strategy } from './options.js';
export { type Evaluated, EvaluationFailure, type Failed, type FailureCode, type Handled, type Outcome, type Skipped } from './outcome.js';
export { guardrailSchema } from './schema.js';
export { summarize, type Summary } from './summary.js';
