import { isRecord } from './kinds.js';

/** One call of a tool in a run. Times (`at`) are ISO. */
export interface ToolCallRecord {
  readonly toolId: string;
  readonly toolName: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** What a tool answered in a run. */
export interface ToolResultRecord {
  readonly toolCallId: string;
  readonly output?: unknown;
  readonly at: string;
}

/** One call of a model in a run. */
export interface ModelCallRecord {
  readonly providerId: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly at: string;
}

/** The run that a check judges. Lists that were not sent are empty. */
export interface RunTrace {
  readonly runId: string;
  readonly tenantId: string;
  readonly projectId?: string;
  readonly orgId?: string;
  readonly agentId?: string;
  readonly flowId?: string;
  /** The run's answer so far. */
  readonly output?: string;
  readonly toolCalls: readonly ToolCallRecord[];
  readonly toolResults: readonly ToolResultRecord[];
  readonly modelCalls: readonly ModelCallRecord[];
  readonly userInput?: string;
  readonly retrievedFactIds?: readonly string[];
  readonly conversationId?: string;
  readonly turnNumber?: number;
  readonly totalCostUsd?: number;
  readonly durationMs?: number;
  readonly mode?: 'ci' | 'runtime';
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** A trace as it came over the wire, its absent lists filled in; every other field stays as it is. Throws TypeError for what is no object. */
export function parseTrace(value: unknown): RunTrace {
  if (!isRecord(value)) throw new TypeError('The trace must be an object.');
  return { toolCalls: [], toolResults: [], modelCalls: [], ...value } as unknown as RunTrace;
}
