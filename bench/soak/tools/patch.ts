import type { Input } from './call.js';
import { ran } from './ledger.js';
import { patches } from './patches.js';

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  patches[what]?.();
  return { nonce };
};
