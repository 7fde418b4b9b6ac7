import { type Input, ran } from './call.js';

/** One letter alone: whatever piece of a flood lands within another line, it can be told from the rest. */
export const floodLetter = '~';
const floodLine = `${floodLetter.repeat(127)}\n`;

/** Prints megabytes and answers. */
export const handler = ({ nonce, stream, mebibytes }: Input & { stream: 'stdout' | 'stderr'; mebibytes: number }) => {
  ran(nonce);
  const block = floodLine.repeat(Math.ceil(65_536 / floodLine.length));
  for (let written = 0; written < mebibytes * 1024 * 1024; written += block.length) process[stream].write(block);
  return { nonce };
};
