#!/usr/bin/env node
import { closest } from 'fastest-levenshtein';
import { call, callHelp } from './call.js';
import { dev, devHelp } from './dev.js';
import { serveHelp } from './flags.js';
import { index } from './index-pack.js';
import { init } from './init.js';
import { serve } from './serve.js';
import { validate } from './validate.js';
import { version } from './version.js';

const commands = ['serve', 'dev', 'init', 'index', 'validate', 'call'];
const usage = `packhost: serves a pack of tools and guardrail checks, each call on a worker thread.

  packhost serve      serve a pack over HTTP   (packhost serve --help for its flags)
  packhost init DIR   write a small pack to start from
  packhost dev        serve a pack on this machine while you write it: changes are live at once
  packhost index      write a pack's index.json from its sources
  packhost validate   find all that indexing or serving a pack would refuse
  packhost call       call a tool, or run a check   (packhost call --help for its flags)
  packhost --version  print the version
`;

const [command, ...args] = process.argv.slice(2);
if (command === '--version' || args.includes('--version')) print(version());
else if (command === 'serve' && (args.includes('--help') || args.includes('-h'))) print(await serveHelp());
else if (command === 'serve') await serve(args);
else if (command === 'dev' && (args.includes('--help') || args.includes('-h'))) print(await devHelp());
else if (command === 'dev') await dev(args);
else if (command === 'init') await init(args);
else if (command === 'index') await index(args);
else if (command === 'validate') await validate(args);
else if (command === 'call' && (args.includes('--help') || args.includes('-h'))) print(await callHelp());
else if (command === 'call') await call(args);
else if (command === undefined || command === '--help' || command === '-h' || command === 'help') print(usage);
else {
  process.stderr.write(`packhost: there is no command "${command}"; did you mean ${closest(command, commands)}?\n\n${usage}`);
  process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}
