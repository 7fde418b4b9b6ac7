import { type Given, type Setting, type SettingName, settingTable } from '../service/settings.js';
import { parseFlags } from './parse-flags.js';

/** The flags as given, and what was wrong with them. */
export interface Flags {
  readonly given: (name: SettingName) => Given | undefined;
  readonly problems: readonly string[];
}

/** Values are texts: settings.ts says what they must be. */
const texts = Object.values<Setting<unknown>>(settingTable).map(({ flag }) => flag);

/** Reads `packhost serve`'s arguments; a flag wins over its environment name. */
export function readFlags(args: readonly string[], environment: NodeJS.ProcessEnv): Flags {
  const { parsed, problems } = parseFlags(args, { texts });
  const [folder, ...strays] = parsed._;
  const misplaced = strays.map((word) => `"${word}" is no flag`);
  if (folder !== undefined && parsed['index'] !== undefined) misplaced.push(`"${folder}" and --index both name a pack`);
  const given = (name: SettingName): Given | undefined => {
    if (name === 'index' && folder !== undefined) return { value: String(folder), from: 'DIR' };
    const { flag, env }: Setting<unknown> = settingTable[name];
    const value = parsed[flag];
    if (value !== undefined && value !== '') return { value: Array.isArray(value) ? (value as unknown[])[0] : value, from: `--${flag}` };
    const inherited = env === undefined ? undefined : environment[env];
    return inherited === undefined || inherited === '' ? undefined : { value: inherited, from: env ?? flag };
  };
  return { given, problems: [...problems, ...misplaced] };
}
