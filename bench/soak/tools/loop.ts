import type { Input } from './call.js';
import { ran } from './ledger.js';

export const handler = ({ nonce }: Input) => {
  ran(nonce);
  for (;;);
};
