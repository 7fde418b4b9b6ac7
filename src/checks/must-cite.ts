import { type BuiltInCheck, patternIssues, verdict } from './check.js';
import { outputOf } from './trace.js';

/** What the check is configured with. */
export interface MustCiteConfig {
  readonly minCitations?: number;
  readonly sourcePattern?: string;
}

const defaultCitations = 1;
const bracketed = String.raw`\[[^\]]+\]`;

/** Passes when the output holds enough citations; an empty output never does. */
export const mustCite = {
  id: 'must-cite',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      minCitations: { type: 'integer', minimum: 0, default: defaultCitations, description: 'How many citations the output needs.' },
      sourcePattern: { type: 'string', minLength: 1, default: bracketed, description: 'A regular expression; each match is a citation.' },
    },
  },
  issues: ({ sourcePattern = bracketed }) => patternIssues('/sourcePattern', sourcePattern),
  mayHang: ({ sourcePattern = bracketed }) => sourcePattern !== bracketed,
  evaluate({ minCitations = defaultCitations, sourcePattern = bracketed }, trace) {
    const output = outputOf(trace);
    if (output === '') return verdict('The output is empty.', { citations: 0 });
    const citations = sourcePattern === bracketed ? countBracketed(output) : countMatches(output, sourcePattern);
    return verdict(citations >= minCitations ? undefined : `The output has ${citations} of at least ${minCitations} citations.`, { citations });
  },
} as const satisfies BuiltInCheck<MustCiteConfig>;

function countMatches(output: string, pattern: string): number {
  let count = 0;
  for (const _match of output.matchAll(new RegExp(pattern, 'g'))) count++;
  return count;
}

/** Counts what the default pattern matches, in one pass: the pattern itself takes quadratic time on a row of `[`. */
function countBracketed(output: string): number {
  let count = 0;
  let open = output.indexOf('[');
  while (open >= 0) {
    const close = output.indexOf(']', open + 1);
    if (close < 0) break;
    const isEmpty = close === open + 1;
    if (!isEmpty) count++;
    open = output.indexOf('[', close + 1);
  }
  return count;
}
