export const input = { type: 'object', properties: { ms: { type: 'integer' } } };
export const output = { type: 'object' };

/** Holds its thread without a pause: for `ms` milliseconds, or until somebody takes the thread away. */
export const handler = ({ ms = Infinity }: { ms?: number }) => {
  const end = performance.now() + ms;
  let turns = 0;
  while (performance.now() < end) turns++;
  return { turns };
};
