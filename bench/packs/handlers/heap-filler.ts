export const input = { type: 'object' };
export const output = { type: 'object' };

/** Fills its heap until its limit ends the thread. */
export const handler = () => {
  const kept: number[][] = [];
  for (;;) kept.push(new Array<number>(1000).fill(kept.length));
};
