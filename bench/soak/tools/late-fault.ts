import type { Input } from './call.js';
import { faults } from './faults.js';
import { ran } from './ledger.js';

/** Answers at once and goes wrong afterwards. */
export const handler = ({ nonce, how, ms }: Input & { how: string; ms: number }) => {
  ran(nonce);
  faults[how]?.(ms);
  return { nonce };
};
