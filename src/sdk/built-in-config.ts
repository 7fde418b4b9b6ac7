import type { BuiltInCheckId } from '../protocol/built-in-checks.js';
import { isRegExp } from '../protocol/regular-expression.js';
import { fields, flag, type Kind, kind, list, optional, wholeNumber } from './kinds.js';

const name = kind('text that is not empty', isName);
const pattern = kind('a regular expression', (value) => typeof value === 'string' && isRegExp(value));
const tool = kind("a tool's id or name, or an object with an id", (value) => isName(value) || isName((value as { readonly id?: unknown } | null)?.id));
const substrings = fields({ patterns: optional(list(name)), caseSensitive: optional(flag) });

/** The config of each check that comes with the host, so that a wrong one is told where it is written. The host holds it to the same rules by schema. */
export const builtInConfigs: Readonly<Record<BuiltInCheckId, Kind>> = {
  'must-cite': fields({ minCitations: optional(wholeNumber(0)), sourcePattern: optional(kind('a regular expression that is not empty', (value) => isName(value) && isRegExp(value))) }),
  'never-call-tool': fields({ tools: list(tool) }),
  'max-tool-calls': fields({ max: optional(wholeNumber(0)) }),
  'output-matches': (value, place) => [...outputMatches(value, place), ...flagProblems(value, place)],
  'tool-order': fields({ sequence: list(name) }),
  'required-substring': substrings,
  'forbidden-substring': substrings,
};

const outputMatches = fields({ pattern, flags: optional(kind('text', (value) => typeof value === 'string')), negate: optional(flag) });

/** A pattern may hold with some flags alone, and flags be none at all. */
function flagProblems(value: unknown, place: string): string[] {
  const { pattern: source, flags } = (value ?? {}) as { readonly pattern?: unknown; readonly flags?: unknown };
  if (typeof source !== 'string' || typeof flags !== 'string' || isRegExp(source, flags)) return [];
  return [`${place}.flags must be flags of a regular expression that its pattern can have, not ${JSON.stringify(flags)}`];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
