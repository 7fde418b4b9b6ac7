import { type BuiltInCheck, quoted, verdict } from './check.js';
import { toolCallsOf } from './trace.js';

/** What the check is configured with. */
export interface NeverCallToolConfig {
  /** Text is an id or a name; an object is a tool, known by its id. */
  readonly tools: readonly (string | { readonly id: string })[];
}

const text = { type: 'string', minLength: 1 } as const;

/** Passes when none of the listed tools was called. */
export const neverCallTool = {
  id: 'never-call-tool',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['tools'],
    properties: {
      tools: {
        type: 'array',
        description: 'Ids or names of tools, or objects with an id.',
        items: { type: ['string', 'object'], minLength: 1, required: ['id'], properties: { id: text } },
      },
    },
  },
  mayHang: () => false,
  evaluate({ tools }, trace) {
    const ids = new Set(tools.map((tool) => (typeof tool === 'string' ? tool : tool.id)));
    const names = new Set(tools.filter((tool) => typeof tool === 'string'));
    const called = toolCallsOf(trace).filter(({ toolId, toolName }) => (toolId !== undefined && ids.has(toolId)) || (toolName !== undefined && names.has(toolName)));
    const calledTools = [...new Set(called.map(({ toolId, toolName }) => toolId ?? toolName ?? ''))];
    return verdict(called.length === 0 ? undefined : `The run called ${quoted(calledTools)}.`, { calls: called.length });
  },
} as const satisfies BuiltInCheck<NeverCallToolConfig>;
