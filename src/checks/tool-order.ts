import { type BuiltInCheck, quoted, verdict } from './check.js';
import { toolCallsOf } from './trace.js';

/** What the check is configured with. */
export interface ToolOrderConfig {
  readonly sequence: readonly string[];
}

/** Passes when the named tools were called in this order; other calls may come between. */
export const toolOrder = {
  id: 'tool-order',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['sequence'],
    properties: { sequence: { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Names of tools.' } },
  },
  mayHang: () => false,
  evaluate({ sequence }, trace) {
    let found = 0;
    for (const { toolName } of toolCallsOf(trace)) if (found < sequence.length && toolName === sequence[found]) found++;
    const [missing] = sequence.slice(found);
    const after = found === 0 ? '' : ` after ${quoted(sequence.slice(0, found))}`;
    return verdict(missing === undefined ? undefined : `The run did not call ${quoted([missing])}${after}.`);
  },
} as const satisfies BuiltInCheck<ToolOrderConfig>;
