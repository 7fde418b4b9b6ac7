import { setTimeout as sleep } from 'node:timers/promises';
import { type Input, ran } from './call.js';

/** Never looks at its signal: settles within the grace or, with a longer wait, after it. */
export const handler = async ({ nonce, ms }: Input & { ms: number }) => {
  ran(nonce);
  await sleep(ms);
  return { nonce };
};
