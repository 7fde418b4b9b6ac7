import { type Input, ran } from './call.js';

export const handler = ({ nonce }: Input) => {
  ran(nonce);
  for (;;);
};
