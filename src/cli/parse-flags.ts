import { closest, distance } from 'fastest-levenshtein';
import parse from 'yargs-parser';

/** The flags of a command, by what follows them: a text, several, or nothing. */
export interface FlagKinds {
  readonly texts: readonly string[];
  readonly lists?: readonly string[];
  readonly switches?: readonly string[];
}

/** What was given: `_` holds the words that belong to no flag. A flag that was given more than once has an array of texts. */
export type ParsedFlags = Readonly<Record<string, unknown>> & { readonly _: readonly (string | number)[] };

/**
 * Reads flags as they are written, with what is wrong with their form: none is unknown, each has its value. By
 * yargs' parser alone: the rest of yargs, which prints the help, takes longer to load than most packs.
 */
export function parseFlags(args: readonly string[], { texts, lists = [], switches = [] }: FlagKinds): { readonly parsed: ParsedFlags; readonly problems: readonly string[] } {
  const parsed: ParsedFlags = parse([...args], {
    string: [...texts, ...lists],
    array: [...lists],
    boolean: [...switches],
    configuration: { 'camel-case-expansion': false, 'dot-notation': false, 'boolean-negation': false, 'parse-numbers': false, 'parse-positional-numbers': false },
  });
  const known = [...texts, ...lists, ...switches];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '_') continue;
    if (!known.includes(name)) problems.push(unknownFlag(name, known));
    else if (value === '' || (Array.isArray(value) && (value.length === 0 || value.includes('')))) problems.push(`--${name} needs a value`);
    else if (Array.isArray(value) && !lists.includes(name)) problems.push(`--${name} is given more than once`);
  }
  return { parsed, problems };
}

function unknownFlag(name: string, known: readonly string[]): string {
  const nearest = closest(name, known);
  return `--${name}: there is no such flag${distance(name, nearest) <= Math.max(3, name.length / 3) ? `; did you mean --${nearest}?` : ''}`;
}
