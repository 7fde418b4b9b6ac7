import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Input, ran } from './call.js';

/** Leaves a process running that outlives its call, and perhaps its thread. */
export const handler = async ({ nonce, seconds, detached }: Input & { seconds: number; detached: boolean }) => {
  ran(nonce);
  const child = spawn('sleep', [String(seconds)], { stdio: 'ignore', detached });
  await once(child, 'spawn');
  child.unref();
  return { nonce };
};
