export const input = { type: 'object', properties: { lines: { type: 'integer' } }, required: ['lines'] };
export const output = { type: 'object', properties: { lines: { type: 'integer' } }, required: ['lines'] };

/** Prints as a forgotten debug statement in a loop does. */
export const handler = ({ lines }: { lines: number }) => {
  for (let line = 0; line < lines; line++) console.log(`line ${line} of a handler that prints far more than anybody will ever read`);
  return { lines };
};
