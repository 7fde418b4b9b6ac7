import { type BuiltInCheck, quoted, verdict } from './check.js';
import { outputOf } from './trace.js';

/** What both checks are configured with. */
export interface SubstringConfig {
  readonly patterns?: readonly string[];
  readonly caseSensitive?: boolean;
}

const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    patterns: { type: 'array', items: { type: 'string', minLength: 1 }, default: [], description: 'Plain text, no patterns.' },
    caseSensitive: { type: 'boolean', default: false, description: 'Whether upper and lower case differ.' },
  },
} as const;

/** Passes when the output holds every one of the texts. */
export const requiredSubstring = {
  id: 'required-substring',
  configSchema,
  mayHang: () => false,
  evaluate(config, trace) {
    const { absent } = searchOutput(config, trace);
    return verdict(absent.length === 0 ? undefined : `The output does not hold ${quoted(absent)}.`, { absent });
  },
} as const satisfies BuiltInCheck<SubstringConfig>;

/** Passes when the output holds none of the texts. */
export const forbiddenSubstring = {
  id: 'forbidden-substring',
  configSchema,
  mayHang: () => false,
  evaluate(config, trace) {
    const { present } = searchOutput(config, trace);
    return verdict(present.length === 0 ? undefined : `The output holds ${quoted(present)}.`, { present });
  },
} as const satisfies BuiltInCheck<SubstringConfig>;

/** Which of the texts are in the output, and which are not. */
function searchOutput({ patterns = [], caseSensitive = false }: SubstringConfig, trace: unknown): { readonly present: readonly string[]; readonly absent: readonly string[] } {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const output = fold(outputOf(trace));
  const isPresent = patterns.map((pattern) => output.includes(fold(pattern)));
  return { present: patterns.filter((_, at) => isPresent[at]), absent: patterns.filter((_, at) => !isPresent[at]) };
}
