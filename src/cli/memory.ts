import { parseArgs } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { MemoryError, openMemory } from '../memory/index.js';
import { BadUsage, type MemoryCommand } from './memory/command.js';
import { exportCommand, importCommand, statsCommand, sweepCommand, tailCommand } from './memory/commands.js';
import { verifyCommand } from './memory/verify.js';

const commands: Readonly<Record<string, MemoryCommand>> = {
  verify: verifyCommand, export: exportCommand, import: importCommand, stats: statsCommand, sweep: sweepCommand, tail: tailCommand,
};

const usage = `packhost memory: looks after a memory, sqlite:FILE or postgres://…

${Object.entries(commands).map(([name, { summary }]) => `  packhost memory ${name.padEnd(8)}${summary}`).join('\n')}

Each says more with --help. Exit codes: 0 done, 1 something is broken, 2 it could not be done.
`;

/** `packhost memory COMMAND URL …`; answers the exit code. */
export async function memory([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return say(usage);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return fail(`there is no command "${name}"; did you mean ${closest(name, Object.keys(commands))}?`);
  if (args.includes('--help') || args.includes('-h')) return say(`${command.usage}\n\n${command.help}\n`);
  // A reader that has seen enough, such as head, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
  try {
    return await run(command, args);
  } catch (error) {
    if (error instanceof BadUsage) return fail(`${error.message}\n\n${command.usage}`);
    if (error instanceof MemoryError) {
      fail(error.message);
      return error.code === 'broken-chain' || error.code === 'broken-import' || error.code === 'bad-signature' ? 1 : 2;
    }
    return fail(error instanceof Error ? error.message : String(error));
  }
}

async function run(command: MemoryCommand, args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(command, args);
  const [url, ...rest] = positionals;
  if (url === undefined) throw new BadUsage('the memory is missing: sqlite:FILE or postgres://…');
  if (rest.length !== command.operands) throw new BadUsage(rest.length < command.operands ? 'an argument is missing' : `"${rest[command.operands] ?? ''}" is one argument too many`);
  const memory = await openMemory(url, { create: command.creates ?? false });
  try {
    return await command.run({ memory, flags: values, operands: rest });
  } finally {
    await memory.close();
  }
}

function parse({ options }: MemoryCommand, args: readonly string[]): { readonly values: Readonly<Record<string, string | boolean | undefined>>; readonly positionals: readonly string[] } {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: parsed.values as Readonly<Record<string, string | boolean | undefined>>, positionals: parsed.positionals };
  } catch (error) {
    throw new BadUsage((error as Error).message);
  }
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(message: string): number {
  process.stderr.write(`packhost memory: ${message}\n`);
  return 2;
}
