import type { Input } from './call.js';
import { floodLine } from './flood-line.js';
import { ran } from './ledger.js';

/** Prints megabytes and answers. */
export const handler = ({ nonce, stream, mebibytes }: Input & { stream: 'stdout' | 'stderr'; mebibytes: number }) => {
  ran(nonce);
  const block = floodLine.repeat(Math.ceil(65_536 / floodLine.length));
  for (let written = 0; written < mebibytes * 1024 * 1024; written += block.length) process[stream].write(block);
  return { nonce };
};
