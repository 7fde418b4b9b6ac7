import { outputOf } from '../trace.js';

/** What both substring checks are configured with. */
export interface SubstringConfig {
  readonly patterns?: readonly string[];
  readonly caseSensitive?: boolean;
}

/** The JSON Schema of that. */
export const substringConfigSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    patterns: { type: 'array', items: { type: 'string', minLength: 1 }, default: [], description: 'Plain text, no patterns.' },
    caseSensitive: { type: 'boolean', default: false, description: 'Whether upper and lower case differ.' },
  },
} as const;

/** Which of the texts are in the output, and which are not. */
export function searchOutput({ patterns = [], caseSensitive = false }: SubstringConfig, trace: unknown): { readonly present: readonly string[]; readonly absent: readonly string[] } {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const output = fold(outputOf(trace));
  const isPresent = patterns.map((pattern) => output.includes(fold(pattern)));
  return { present: patterns.filter((_, at) => isPresent[at]), absent: patterns.filter((_, at) => !isPresent[at]) };
}
