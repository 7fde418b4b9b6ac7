import type { Input } from './call.js';
import { ran } from './ledger.js';
import { thrown } from './thrown.js';

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  throw thrown[what]?.(nonce);
};
