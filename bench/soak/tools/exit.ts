import { type Input, ran } from './call.js';

export const handler = ({ nonce, code }: Input & { code: number }) => {
  ran(nonce);
  process.exit(code);
};
