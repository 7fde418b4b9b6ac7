import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Input, ran } from './call.js';

/** Ways to fail after the answer. */
export const faults: Readonly<Record<string, (ms: number) => void>> = {
  'an exception in a timer': (ms) => {
    setTimeout(() => {
      throw new Error('late');
    }, ms);
  },
  'an error event without a listener': (ms) => void setTimeout(() => new EventEmitter().emit('error', new Error('late')), ms),
  'a rejection in a timer': (ms) => void setTimeout(() => void Promise.reject(new Error('late')), ms),
  'an async function nobody awaits': (ms) =>
    void sleep(ms).then(() => {
      throw new Error('late');
    }),
  'an exit in a timer': (ms) => void setTimeout(() => process.exit(3), ms),
  'an exit with code 0': (ms) => void setTimeout(() => process.exit(0), ms),
};

/** Answers at once and goes wrong afterwards. */
export const handler = ({ nonce, how, ms }: Input & { how: string; ms: number }) => {
  ran(nonce);
  faults[how]?.(ms);
  return { nonce };
};
