#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { closest } from 'fastest-levenshtein';
import { serveHelp } from './flags.js';
import { serve } from './serve.js';

const commands = ['serve', 'memory'];
const usage = `packhost: serves a pack of tools and guardrail checks, each call on a worker thread.

  packhost serve      serve a pack over HTTP   (packhost serve --help for its flags)
  packhost memory     look after a memory      (packhost memory --help for its commands)
  packhost --version  print the version
`;

const [command, ...args] = process.argv.slice(2);
if (command === '--version' || args.includes('--version')) print(version());
else if (command === 'serve' && (args.includes('--help') || args.includes('-h'))) print(await serveHelp());
else if (command === 'serve') await serve(args);
else if (command === 'memory') process.exitCode = await (await import('./memory.js')).memory(args);
else if (command === undefined || command === '--help' || command === '-h' || command === 'help') print(usage);
else {
  process.stderr.write(`packhost: there is no command "${command}"; did you mean ${closest(command, commands)}?\n\n${usage}`);
  process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
