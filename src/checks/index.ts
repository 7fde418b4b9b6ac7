import type { BuiltInCheck } from './check.js';
import { maxToolCalls } from './max-tool-calls.js';
import { mustCite } from './must-cite.js';
import { neverCallTool } from './never-call-tool.js';
import { outputMatches } from './output-matches.js';
import { forbiddenSubstring, requiredSubstring } from './substrings.js';
import { toolOrder } from './tool-order.js';

/** The checks that packhost brings. A new one is a file of its own, and its name here. */
const checks = [mustCite, neverCallTool, maxToolCalls, outputMatches, toolOrder, requiredSubstring, forbiddenSubstring] as const;

/** The id of a check that packhost brings. */
export type BuiltInCheckId = (typeof checks)[number]['id'];

const [first, ...others] = checks;

/** The ids of packhost's own checks. A guardrail may name one; a pack may not ship a check of its own under it. */
export const builtInCheckIds: readonly [BuiltInCheckId, ...BuiltInCheckId[]] = [first.id, ...others.map(({ id }) => id)];

// Each takes the config that its own schema lets through: who looks one up here validates before it calls.
const byId = Object.fromEntries(checks.map((check): [BuiltInCheckId, BuiltInCheck<never>] => [check.id, check])) as Readonly<Record<BuiltInCheckId, BuiltInCheck<never>>>;

/** Whether an id is reserved for one of packhost's own checks. */
export function isBuiltInCheckId(id: string): id is BuiltInCheckId {
  return Object.hasOwn(byId, id);
}

/** One of packhost's own checks, for a config that has been validated against its schema. */
export function builtInCheck(id: BuiltInCheckId): BuiltInCheck<Readonly<Record<string, unknown>>> {
  return byId[id];
}
