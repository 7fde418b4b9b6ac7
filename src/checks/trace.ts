/** One call of a tool, in the order of the run. */
export interface ToolCallRecord {
  readonly [field: string]: unknown;
  readonly toolId?: string;
  readonly toolName?: string;
  readonly arguments?: unknown;
  /** ISO date and time. */
  readonly at?: string;
}

/** What a run did, as far as checks look at it; fields of later versions pass through to them. */
export interface RunTrace {
  readonly [field: string]: unknown;
  readonly runId?: string;
  readonly tenantId?: string;
  readonly agentId?: string | null;
  readonly flowId?: string | null;
  /** The answer to judge; none is as good as an empty one. */
  readonly output?: string | null;
  readonly toolCalls?: readonly ToolCallRecord[] | null;
  readonly mode?: Mode;
}

/** Where a run is judged: in a build, or while it is under way. */
export type Mode = 'ci' | 'runtime';

/** The run's answer; throws a TypeError when the trace or its output is of another type. */
export function outputOf(trace: unknown): string {
  const output = fieldOf(trace, 'output') ?? '';
  if (typeof output !== 'string') throw new TypeError(`trace.output must be a string, not ${typeOf(output)}`);
  return output;
}

/** The run's tool calls in their order; throws a TypeError when the trace or its calls are of another type. */
export function toolCallsOf(trace: unknown): readonly ToolCallRecord[] {
  const calls = fieldOf(trace, 'toolCalls') ?? [];
  if (!Array.isArray(calls)) throw new TypeError(`trace.toolCalls must be an array, not ${typeOf(calls)}`);
  const odd = calls.findIndex((call: unknown) => typeof call !== 'object' || call === null);
  if (odd >= 0) throw new TypeError(`trace.toolCalls[${odd}] must be an object, not ${typeOf(calls[odd])}`);
  return calls as ToolCallRecord[];
}

function fieldOf(trace: unknown, name: string): unknown {
  if (typeof trace !== 'object' || trace === null || Array.isArray(trace)) throw new TypeError(`a trace must be an object, not ${typeOf(trace)}`);
  return (trace as Record<string, unknown>)[name];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
