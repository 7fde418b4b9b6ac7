import type { Input } from './call.js';
import { fill } from './fill.js';
import { ran } from './ledger.js';

/** Outside of the heap; filled, so that it is memory and not only addresses. */
export const handler = ({ nonce }: Input) => {
  ran(nonce);
  fill((bytes) => Buffer.alloc(bytes, 1));
};
