import { resolve } from 'node:path';
import yargs, { type Argv, type InferredOptionTypes, type Options } from 'yargs';

/** What a command of a pack's author takes. */
interface Command<O extends Readonly<Record<string, Options>>> {
  readonly name: string;
  /** What stands after the command's name, and what it does. */
  readonly usage: string;
  readonly options: O;
}

/** Flags that more than one command has. */
export const sharedOptions = {
  'bundle-map': { type: 'string', requiresArg: true, describe: 'JSON file: source path → bundle path under the pack' },
  'env-filter': { choices: ['on', 'off'] as const, default: 'on' as const, describe: 'Whether pack code gets only declared and platform names' },
  'load-timeout': { type: 'number', requiresArg: true, default: 30_000, describe: 'How long one file may take to load, in milliseconds' },
  strict: { type: 'boolean', default: false, describe: 'Take warnings for errors' },
} as const satisfies Record<string, Options>;

/** The arguments as read: a path, the working folder by default, and the flags. Undefined when there is nothing left to do. */
export function readArguments<O extends Readonly<Record<string, Options>>>(command: Command<O>, args: readonly string[]): { readonly path: string; readonly flags: InferredOptionTypes<O> } | undefined {
  const parser = yargs([...args])
    .scriptName('packhost')
    .usage(`packhost ${command.name} ${command.usage}`)
    .options(command.options)
    .parserConfiguration({ 'camel-case-expansion': false })
    .strictOptions()
    .alias('h', 'help')
    .version(false)
    .exitProcess(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100)) as Argv<InferredOptionTypes<O>>;
  const problems: string[] = [];
  const read = parser.fail((message, error) => void problems.push(message || error.message)).parseSync() as unknown as InferredOptionTypes<O> & { readonly _: readonly (string | number)[]; readonly help?: boolean };
  if (read.help === true) return undefined;
  for (const [name, value] of Object.entries(read)) {
    if (name !== '_' && Array.isArray(value)) problems.push(`--${name} is given more than once`);
    else if (Number.isNaN(value) || value === 0) problems.push(`--${name} must be a number above 0`);
  }
  if (read._.length > 1) problems.push(`there is one place to name, not ${read._.length}: ${read._.join(' ')}`);
  if (problems.length === 0) return { path: resolve(String(read._[0] ?? '.')), flags: read };
  process.stderr.write(`packhost ${command.name}: ${[...new Set(problems)].join('\n  ')}\n(packhost ${command.name} --help lists what there is)\n`);
  process.exitCode = 1;
  return undefined;
}
