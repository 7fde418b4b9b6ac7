import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Input } from './call.js';
import { ran } from './ledger.js';

/** Waits, and stops waiting when its signal says so. */
export const handler = async ({ nonce, ms }: Input & { ms: number }, { abortSignal }: Context) => {
  ran(nonce);
  await sleep(ms, undefined, { signal: abortSignal });
  return { nonce };
};
