import { type Input, ran } from './call.js';

/** Backtracks for longer than the universe lasts. */
export const handler = ({ nonce }: Input) => {
  ran(nonce);
  return { nonce, matches: /^(?:a+)+$/.test(`${'a'.repeat(60)}!`) };
};
