import type { Input } from './call.js';
import { ran } from './ledger.js';

export const handler = ({ nonce, code }: Input & { code: number }) => {
  ran(nonce);
  process.exit(code);
};
