import type { Input } from './call.js';
import { ran } from './ledger.js';

/** Backtracks for longer than the universe lasts. */
export const handler = ({ nonce }: Input) => {
  ran(nonce);
  return { nonce, matches: /^(?:a+)+$/.test(`${'a'.repeat(60)}!`) };
};
