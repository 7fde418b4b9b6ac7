import { type Input, ran } from './call.js';
import { fill } from './fill.js';

/** Outside of the heap; filled, so that it is memory and not only addresses. */
export const handler = ({ nonce }: Input) => {
  ran(nonce);
  fill((bytes) => Buffer.alloc(bytes, 1));
};
