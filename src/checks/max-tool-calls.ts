import { type BuiltInCheck, verdict } from './check.js';
import { toolCallsOf } from './trace.js';

/** What the check is configured with. */
export interface MaxToolCallsConfig {
  readonly max?: number;
}

const defaultMax = 10;

/** Passes when the run made at most so many tool calls. */
export const maxToolCalls = {
  id: 'max-tool-calls',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: { max: { type: 'integer', minimum: 0, default: defaultMax, description: 'The most tool calls of one run.' } },
  },
  mayHang: () => false,
  evaluate({ max = defaultMax }, trace) {
    const calls = toolCallsOf(trace).length;
    return verdict(calls <= max ? undefined : `The run made ${calls} tool calls; at most ${max} are allowed.`, { calls });
  },
} as const satisfies BuiltInCheck<MaxToolCallsConfig>;
