#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { closest } from 'fastest-levenshtein';

interface Command {
  /** What stands after its name in the usage. */
  readonly takes?: string;
  readonly summary: string;
  run(args: readonly string[]): Promise<void>;
  /** Absent where the command answers `--help` by itself. */
  help?(): Promise<string>;
}

/** Each loads what it needs and nothing of the others: the modules of all would double the time to a service's first call. */
const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'serve a pack over HTTP',
    run: async (args) => (await import('./serve.js')).serve(args),
    help: async () => (await import('./serve-help.js')).serveHelp(),
  },
  dev: {
    summary: 'serve a pack on this machine while you write it: changes go live by themselves',
    run: async (args) => (await import('./dev.js')).dev(args),
    help: async () => (await import('./dev.js')).devHelp(),
  },
  init: { takes: 'DIR', summary: 'write a small pack to start from', run: async (args) => (await import('./init.js')).init(args, version()) },
  index: { summary: "write a pack's index.json from its sources", run: async (args) => (await import('./index-pack.js')).index(args) },
  validate: { summary: 'find all that indexing or serving a pack would refuse', run: async (args) => (await import('./validate.js')).validate(args) },
  call: {
    summary: 'call a tool, or run a check',
    run: async (args) => (await import('./call.js')).call(args),
    help: async () => (await import('./call.js')).callHelp(),
  },
  check: {
    summary: "judge recorded runs by a pack's guardrails",
    run: async (args) => (await import('./check.js')).check(args),
    help: async () => (await import('./check/options.js')).checkHelp(),
  },
  memory: {
    summary: "verify, export, import, count, sweep or follow an agent's memory",
    run: async (args) => void (process.exitCode = await (await import('./memory.js')).memory(args)),
  },
};

const lines = Object.entries(commands).map(([name, { takes, summary }]) => `  packhost ${[name, takes].filter(Boolean).join(' ').padEnd(10)} ${summary}\n`);
const usage = `packhost: serves a pack of tools and guardrail checks, each call on a worker thread.

${lines.join('')}  packhost --version  print the version

packhost COMMAND --help explains a command's flags.
`;

const [name, ...args] = process.argv.slice(2);
const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
if (name === '--version' || args.includes('--version')) print(version());
else if (command?.help && (args.includes('--help') || args.includes('-h'))) print(await command.help());
else if (command) await command.run(args);
else if (name === undefined || name === '--help' || name === '-h' || name === 'help') print(usage);
else {
  process.stderr.write(`packhost: there is no command "${name}"; did you mean ${closest(name, Object.keys(commands))}?\n\n${usage}`);
  process.exitCode = 1;
}

/** The version of this package. */
function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}
