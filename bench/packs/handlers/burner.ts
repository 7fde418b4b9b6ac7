export const input = { type: 'object', properties: { iterations: { type: 'integer', minimum: 0 } }, required: ['iterations'] };
export const output = { type: 'object', properties: { hash: { type: 'integer' } }, required: ['hash'] };

/**
 * A fixed amount of work rather than a fixed time: a time would pass as well while the thread waits
 * for a core, and every number of threads would look the same.
 */
export const handler = ({ iterations }: { iterations: number }) => {
  let hash = 1;
  for (let turn = 0; turn < iterations; turn++) hash = Math.imul(hash ^ turn, 0x9e3779b1);
  return { hash };
};
