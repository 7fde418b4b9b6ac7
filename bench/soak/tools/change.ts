import type { Input } from './call.js';
import { changes } from './changes.js';
import { ran } from './ledger.js';

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  changes[what]?.();
  return { nonce };
};
