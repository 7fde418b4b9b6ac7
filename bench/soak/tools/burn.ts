import { type Input, ran } from './call.js';

/** A fixed amount of work, a few milliseconds of an idle core. */
export const handler = ({ nonce, turns }: Input & { turns: number }) => {
  ran(nonce);
  let hash = 1;
  for (let turn = 0; turn < turns; turn++) hash = Math.imul(hash ^ turn, 0x9e3779b1);
  return { nonce, hash };
};
