import { toolCallsOf } from '../trace.js';
import { type BuiltInCheck, verdict } from './check.js';

interface Config {
  readonly max?: number;
}

/** Passes when the run made at most so many tool calls. */
export const maxToolCalls: BuiltInCheck<Config> = {
  id: 'max-tool-calls',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: { max: { type: 'integer', minimum: 0, default: 10, description: 'The most tool calls of one run.' } },
  },
  mayHang: () => false,
  evaluate({ max = 10 }, trace) {
    const calls = toolCallsOf(trace).length;
    return verdict(calls <= max ? undefined : `The run made ${calls} tool calls; at most ${max} are allowed.`, { calls });
  },
};
