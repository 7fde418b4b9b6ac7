import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, type Input, ran, releaseIn, sharedFolder } from './call.js';

/** Runs until it is released: so many of these side by side are so many calls that run at the same time. */
export const handler = async ({ nonce }: Input, { abortSignal }: Context) => {
  ran(nonce);
  while (!existsSync(releaseIn(sharedFolder()))) await sleep(20, undefined, { signal: abortSignal });
  return { nonce };
};
