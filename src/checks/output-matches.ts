import { type BuiltInCheck, patternIssues, verdict } from './check.js';
import { outputOf } from './trace.js';

/** What the check is configured with. */
export interface OutputMatchesConfig {
  readonly pattern: string;
  readonly flags?: string;
  readonly negate?: boolean;
}

/** Passes when the output matches a pattern, or with `negate` when it does not. */
export const outputMatches = {
  id: 'output-matches',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['pattern'],
    properties: {
      pattern: { type: 'string', description: 'A regular expression.' },
      flags: { type: 'string', default: '', description: 'Its flags, such as i.' },
      negate: { type: 'boolean', default: false, description: 'Whether a match is what fails.' },
    },
  },
  issues: ({ pattern, flags }) => patternIssues('/pattern', pattern, flags),
  mayHang: () => true,
  evaluate({ pattern, flags = '', negate = false }, trace) {
    const matches = new RegExp(pattern, flags).test(outputOf(trace));
    if (matches !== negate) return verdict(undefined);
    return verdict(`The output ${matches ? 'matches' : 'does not match'} /${pattern}/${flags}.`);
  },
} as const satisfies BuiltInCheck<OutputMatchesConfig>;
