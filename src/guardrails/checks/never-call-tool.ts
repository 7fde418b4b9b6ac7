import { toolCallsOf } from '../trace.js';
import { type BuiltInCheck, quoted, verdict } from './check.js';

interface Config {
  /** Text is an id or a name; an object is a tool, known by its id. */
  readonly tools: readonly (string | { readonly id: string })[];
}

const text = { type: 'string', minLength: 1 };

/** Passes when none of the listed tools was called. */
export const neverCallTool: BuiltInCheck<Config> = {
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
};
