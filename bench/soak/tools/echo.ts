import { type Input, ran } from './call.js';

export const handler = ({ nonce, text }: Input & { text: string }) => {
  ran(nonce);
  return { nonce, text };
};
