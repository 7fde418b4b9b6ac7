import { setTimeout as sleep } from 'node:timers/promises';

export const input = { type: 'object', properties: { holdMs: { type: 'integer' } }, required: ['holdMs'] };
export const output = { type: 'object', properties: { startedAt: { type: 'number' } }, required: ['startedAt'] };

/** Says when it got its turn, and keeps its thread long enough that no other call gets the same one. */
export const handler = async ({ holdMs }: { holdMs: number }) => {
  const startedAt = Date.now();
  await sleep(holdMs);
  return { startedAt };
};
