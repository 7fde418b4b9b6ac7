import { setTimeout as sleep } from 'node:timers/promises';

export const input = { type: 'object', properties: { ms: { type: 'integer', minimum: 0 } }, required: ['ms'] };
export const output = { type: 'object', properties: { waited: { type: 'integer' } }, required: ['waited'] };

/** Stands for a call to somebody else's API. */
export const handler = async ({ ms }: { ms: number }) => {
  await sleep(ms);
  return { waited: ms };
};
