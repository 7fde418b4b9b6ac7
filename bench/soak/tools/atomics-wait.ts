import { type Input, ran } from './call.js';

export const handler = ({ nonce }: Input) => {
  ran(nonce);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return { nonce };
};
