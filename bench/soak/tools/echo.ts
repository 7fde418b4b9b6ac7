import type { Input } from './call.js';
import { ran } from './ledger.js';

export const handler = ({ nonce, text }: Input & { text: string }) => {
  ran(nonce);
  return { nonce, text };
};
