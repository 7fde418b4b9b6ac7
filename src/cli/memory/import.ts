import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { MemoryCommand } from './command.js';
import { print, printJson } from './output.js';

export const importCommand: MemoryCommand = {
  summary: 'take in what export wrote: all of it or nothing',
  usage: 'packhost memory import URL FILE [--json]',
  help: `FILE may be - for standard input. What is there already must be the same. Exits 1 when the file is not what was exported, and names its line.`,
  options: { json: { type: 'boolean' } },
  operands: 1,
  creates: true,
  async run({ memory, flags, operands: [file = '-'] }) {
    const input = file === '-' ? process.stdin : createReadStream(file);
    // A file that cannot be read must end the import, not wait for its first line for ever.
    const lines = createInterface({ input, crlfDelay: Infinity });
    const failed = new Promise<never>((_, reject) => input.once('error', reject));
    const imported = await Promise.race([memory.log.import(lines), failed]);
    if (flags['json'] === true) printJson(imported);
    else print(`imported ${imported.entries.toLocaleString('en')} entries of ${imported.chains.toLocaleString('en')} runs; ${imported.known.toLocaleString('en')} were there already\n`);
    return 0;
  },
};
