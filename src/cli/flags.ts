import { closest, distance } from 'fastest-levenshtein';
import yargs from 'yargs';
import { type Given, type Setting, type SettingName, settingTable } from '../settings.js';

/** The flags as given, and what was wrong with them. */
export interface Flags {
  readonly given: (name: SettingName) => Given | undefined;
  readonly problems: readonly string[];
}

const settings = Object.entries(settingTable) as [SettingName, Setting<unknown>][];
const serveUsage =
  '$0 serve [DIR] [flags]\n\nServes a pack, at DIR or --index: loads its index and modules into worker threads and answers calls over HTTP.\nEach flag has the environment name behind it; flags win. KINDGI_PACK_SERVICE_TOKEN is required, and is never a flag.';
const known = settings.map(([, { flag }]) => flag);

/** Reads `packhost serve`'s arguments; a flag wins over its environment name. */
export function readFlags(args: readonly string[], environment: NodeJS.ProcessEnv): Flags {
  const problems: string[] = [];
  const parsed = parser(args).parseSync() as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '_') for (const word of (value as unknown[]).slice(1)) problems.push(`"${String(word)}" is no flag`);
    else if (name !== '$0' && name !== 'help' && name !== 'version' && !known.includes(name)) problems.push(unknownFlag(name));
    else if (Array.isArray(value)) problems.push(`--${name} is given more than once`);
  }
  const [folder] = parsed['_'] as readonly (string | number)[];
  if (folder !== undefined && parsed['index'] !== undefined) problems.push(`"${folder}" and --index both name a pack`);
  const given = (name: SettingName): Given | undefined => {
    if (name === 'index' && folder !== undefined) return { value: String(folder), from: 'DIR' };
    const { flag, env }: Setting<unknown> = settingTable[name];
    const value = parsed[flag];
    if (value !== undefined) return { value: Array.isArray(value) ? (value as unknown[])[0] : value, from: `--${flag}` };
    const inherited = env === undefined ? undefined : environment[env];
    return inherited === undefined || inherited === '' ? undefined : { value: inherited, from: env ?? flag };
  };
  return { given, problems };
}

/** What `packhost serve --help` prints, and with its own usage that of another command that serves. */
export async function serveHelp(usage = serveUsage): Promise<string> {
  return parser([], usage).getHelp();
}

function parser(args: readonly string[], usage = serveUsage): ReturnType<typeof yargs> {
  const serve = yargs([...args])
    .scriptName('packhost')
    .usage(usage)
    .parserConfiguration({ 'camel-case-expansion': false, 'dot-notation': false, 'boolean-negation': false, 'parse-numbers': false, 'parse-positional-numbers': false })
    .help(false)
    .version(false)
    .exitProcess(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100));
  for (const [, { flag, env, group, help, fallback, fallbackText }] of settings) {
    serve.option(flag, {
      group: `${group}:`,
      describe: env === undefined ? help : `${help} [${env}]`,
      defaultDescription: fallbackText ?? String(fallback),
      requiresArg: true,
    });
  }
  return serve;
}

function unknownFlag(name: string): string {
  const nearest = closest(name, known);
  return `--${name}: there is no such flag${distance(name, nearest) <= Math.max(3, name.length / 3) ? `; did you mean --${nearest}?` : ''}`;
}
