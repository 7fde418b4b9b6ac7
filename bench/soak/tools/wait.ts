import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, type Input, ran } from './call.js';

/** Waits, and stops waiting when its signal says so. */
export const handler = async ({ nonce, ms }: Input & { ms: number }, { abortSignal }: Context) => {
  ran(nonce);
  await sleep(ms, undefined, { signal: abortSignal });
  return { nonce };
};
