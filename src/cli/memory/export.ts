import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type MemoryCommand, selectionOf, selectionOptions } from './command.js';
import { writeLines } from './output.js';

export const exportCommand: MemoryCommand = {
  summary: 'write the log as JSON Lines, verified on the way',
  usage: 'packhost memory export URL [--tenant T [--run R]] [--output FILE]',
  help: `Writes to standard output, or to FILE, which is there only once it is whole. Exits 1 at the first broken entry.`,
  options: { ...selectionOptions, output: { type: 'string' } },
  operands: 0,
  async run({ memory, flags }) {
    const lines = memory.log.export(selectionOf(flags));
    const file = flags['output'];
    if (typeof file !== 'string') {
      await writeLines(lines, process.stdout);
      return 0;
    }
    const draft = `${file}.part`;
    const stream = createWriteStream(draft, { flush: true });
    try {
      await writeLines(lines, stream);
      stream.end();
      await finished(stream);
      await rename(draft, file);
    } catch (error) {
      stream.destroy();
      // A file that is still being opened would be made after it was removed.
      await finished(stream).catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
    }
    return 0;
  },
};
