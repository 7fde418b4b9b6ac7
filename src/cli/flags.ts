import { closest, distance } from 'fastest-levenshtein';
import parse from 'yargs-parser';
import { type Given, type Setting, type SettingName, settingTable } from '../settings.js';

/** The flags as given, and what was wrong with them. */
export interface Flags {
  readonly given: (name: SettingName) => Given | undefined;
  readonly problems: readonly string[];
}

const known = Object.values<Setting<unknown>>(settingTable).map(({ flag }) => flag);
/** Flags as they are written, values as text: settings.ts says what they must be. */
const configuration = { 'camel-case-expansion': false, 'dot-notation': false, 'boolean-negation': false, 'parse-numbers': false, 'parse-positional-numbers': false };

/**
 * Reads `packhost serve`'s arguments; a flag wins over its environment name. By yargs' parser alone: the rest of
 * yargs, which serve-help.ts uses, takes a service longer to load than its pack.
 */
export function readFlags(args: readonly string[], environment: NodeJS.ProcessEnv): Flags {
  const problems: string[] = [];
  const parsed: Readonly<Record<string, unknown>> = parse([...args], { string: [...known], configuration });
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '_') for (const word of (value as unknown[]).slice(1)) problems.push(`"${String(word)}" is no flag`);
    else if (!known.includes(name)) problems.push(unknownFlag(name));
    else if (value === '') problems.push(`--${name} needs a value`);
    else if (Array.isArray(value)) problems.push(`--${name} is given more than once`);
  }
  const [folder] = parsed['_'] as readonly (string | number)[];
  if (folder !== undefined && parsed['index'] !== undefined) problems.push(`"${folder}" and --index both name a pack`);
  const given = (name: SettingName): Given | undefined => {
    if (name === 'index' && folder !== undefined) return { value: String(folder), from: 'DIR' };
    const { flag, env }: Setting<unknown> = settingTable[name];
    const value = parsed[flag];
    if (value !== undefined && value !== '') return { value: Array.isArray(value) ? (value as unknown[])[0] : value, from: `--${flag}` };
    const inherited = env === undefined ? undefined : environment[env];
    return inherited === undefined || inherited === '' ? undefined : { value: inherited, from: env ?? flag };
  };
  return { given, problems };
}

function unknownFlag(name: string): string {
  const nearest = closest(name, known);
  return `--${name}: there is no such flag${distance(name, nearest) <= Math.max(3, name.length / 3) ? `; did you mean --${nearest}?` : ''}`;
}
