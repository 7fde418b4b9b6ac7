import type { CheckVerdict } from '../checks/check.js';
import type { RunTrace } from '../checks/trace.js';
import type { NetworkPolicy } from '../protocol/isolation.js';

/** How bad a violation is, the mildest first. */
export const severities = ['info', 'warn', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** What packhost itself knows to do about a violation; any other name is the caller's. */
export const builtInActions = ['halt', 'retry', 'escalate', 'log-only', 'compensate'] as const;

/** What is to be done when a guardrail fails. */
export interface Action {
  /** One of `builtInActions`, or a name that the caller has a handler for. */
  readonly 'on-violation': string;
  /** For `retry`: how many answers may fail before the run does, the first one included; 2 when left out. */
  readonly retry?: { readonly maxAttempts: number };
  /** For `escalate`: a reviewer's role or queue. */
  readonly escalateTo?: string;
  /** For `compensate`: the id of a tool. */
  readonly compensateWith?: string;
}

/** Which runs a guardrail is for; an empty list stands for all. */
export interface Scope {
  readonly when?: 'always' | 'ci-only' | 'runtime-only';
  readonly agents?: readonly string[];
  readonly flows?: readonly string[];
  readonly tenants?: readonly string[];
}

/** A guardrail as data, schema version 1.1.0. */
export interface Guardrail {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** `zero-llm`, `llm-judge`, `external`, or a kind that the caller has a strategy for. */
  readonly kind: string;
  /** The id of a check: one of packhost's own, or one that the caller registers. */
  readonly check: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly action: Action;
  /** `error` when left out. */
  readonly severity?: Severity;
  readonly scope?: Scope;
  /** For `llm-judge`. */
  readonly budget?: { readonly maxCostUsd?: number; readonly maxLatencyMs?: number };
  readonly sandbox?: 'none' | 'context-isolated' | 'strict';
  readonly limits?: { readonly memMB: number; readonly cpuMs: number };
  readonly network?: NetworkPolicy;
  readonly needsSpec?: Readonly<Record<string, unknown>>;
  readonly codeArtifactRef?: Readonly<Record<string, unknown>>;
  /** For `llm-judge`: what the judge's model must be able to do. */
  readonly judgeCapabilities?: Readonly<Record<string, unknown>>;
}

/** What a check gets beside its config and the trace. */
export interface CheckBindings {
  /** Fires when the check's time is over. */
  readonly abortSignal: AbortSignal;
}

/** Judges a trace: at once, or by a promise. */
export type Evaluate = (config: never, trace: RunTrace, bindings: CheckBindings) => CheckVerdict | Promise<CheckVerdict>;

/** A check of the caller's own. It runs on the thread that calls the evaluator, where only one that waits can be ended in time. */
export interface CheckDefinition {
  readonly id?: string;
  readonly evaluate: Evaluate;
  /** JSON Schema of its config. */
  readonly configSchema?: unknown;
}

/** A check that a module exports, as a pack's does. It runs on a thread of its own, which ends with its time. */
export interface CheckModule {
  /** `new URL('./checks/polite.mjs', import.meta.url)`, or its text. */
  readonly module: URL | string;
  readonly configSchema?: unknown;
}

/** A check that runs elsewhere, such as in a pack service, and keeps its own time there. */
export interface RemoteCheck {
  /** Answers the check's result; throws an EvaluationFailure to say why there is none. */
  readonly call: (config: Readonly<Record<string, unknown>>, trace: RunTrace) => Promise<unknown>;
}

/** A guardrail as a pack's module exports it: its check is the id of one, or the check itself. */
export type GuardrailDefinition = Omit<Guardrail, 'check'> & {
  readonly check: string | CheckDefinition | Evaluate;
  readonly configSchema?: unknown;
};
