import type { BuiltInCheckId } from '../../protocol/built-in-checks.js';
import type { BuiltInCheck } from './check.js';
import { forbiddenSubstring } from './forbidden-substring.js';
import { maxToolCalls } from './max-tool-calls.js';
import { mustCite } from './must-cite.js';
import { neverCallTool } from './never-call-tool.js';
import { outputMatches } from './output-matches.js';
import { requiredSubstring } from './required-substring.js';
import { toolOrder } from './tool-order.js';

// Each takes the config that its own schema lets through: who looks one up here validates before it calls.
const checks: Readonly<Record<BuiltInCheckId, BuiltInCheck>> = {
  'must-cite': mustCite,
  'never-call-tool': neverCallTool,
  'max-tool-calls': maxToolCalls,
  'output-matches': outputMatches,
  'tool-order': toolOrder,
  'required-substring': requiredSubstring,
  'forbidden-substring': forbiddenSubstring,
};

/** One of packhost's own checks, for a config that has been validated against its schema. */
export function builtInCheck(id: BuiltInCheckId): BuiltInCheck<Readonly<Record<string, unknown>>> {
  return checks[id];
}

