import type { Input } from './call.js';
import { ran } from './ledger.js';
import { outputs } from './outputs.js';

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  return outputs[what]?.();
};
