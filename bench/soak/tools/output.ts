import { type Input, ran } from './call.js';

const cyclic = (): object => {
  const object: Record<string, unknown> = {};
  object['self'] = object;
  return object;
};

/** What no output may hold, by its name. */
export const outputs: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  'a cycle': cyclic,
  'a BigInt': () => ({ nonce: 7n }),
  'a function': () => ({ nonce: 'n', field: () => 1 }),
  'a promise within': () => ({ nonce: 'n', field: Promise.resolve(1) }),
  'the wrong shape': () => ({ nonce: 7 }),
};

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  return outputs[what]?.();
};
