import { type Input, ran } from './call.js';

const seen = globalThis as { soakRuns?: number };

/** Says how many calls of this tool its thread has run before. */
export const handler = ({ nonce }: Input) => {
  ran(nonce);
  const before = seen.soakRuns ?? 0;
  seen.soakRuns = before + 1;
  return { nonce, before };
};
