import { type Input, ran } from './call.js';

const refuse = (): never => {
  throw new Error('do not look');
};
const withGetter = (field: string): Error => Object.defineProperty(new Error('plain'), field, { get: refuse });
const revoked = (target: object): object => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const cyclic = (): object => {
  const object: Record<string, unknown> = {};
  object['self'] = object;
  return object;
};
const ownCause = (): Error => {
  const error = new Error('plain');
  error.cause = error;
  return error;
};

/** Everything that can be thrown, by its name. */
export const thrown: Readonly<Record<string, (nonce: string) => unknown>> = {
  'an error that names its call': (nonce) => new Error(`thrown by ${nonce}`),
  null: () => null,
  undefined: () => undefined,
  'a number': () => 0,
  'no text': () => '',
  false: () => false,
  'a BigInt': () => 7n,
  'a symbol': () => Symbol('thrown'),
  'a function': () => refuse,
  'an empty object': () => ({}),
  'an object without a prototype': () => Object.create(null) as unknown,
  'a cyclic object': cyclic,
  'a revoked proxy': () => revoked({}),
  'a revoked proxy of an error': () => revoked(new Error('gone')),
  'a promise': () => Promise.resolve(1),
  'a getter for stack': () => withGetter('stack'),
  'a getter for message': () => withGetter('message'),
  'a getter for cause': () => withGetter('cause'),
  'a toJSON that throws': () => Object.assign(new Error('plain'), { toJSON: refuse }),
  'a toString that throws': () => ({ toString: refuse, [Symbol.toPrimitive]: refuse }),
  'a cause of itself': ownCause,
  'a megabyte of message': () => new Error('m'.repeat(1024 * 1024)),
};

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  throw thrown[what]?.(nonce);
};
