import { type Input, ran } from './call.js';

const builtIns = globalThis as unknown as Record<string, Record<string, unknown> & { prototype: Record<string, unknown> }>;

const replace = (owner: string, name: string, by: unknown) => (): void => {
  const found = builtIns[owner];
  if (found) found[name] = by;
};
const pollute = (owner: string, name: string, by: unknown) => (): void => {
  const found = builtIns[owner];
  if (found) found.prototype[name] = by;
};

/** What everybody uses, and one tool changes for its whole thread. */
export const patches: Readonly<Record<string, () => void>> = {
  'JSON.stringify': replace('JSON', 'stringify', () => '"patched"'),
  'JSON.parse': replace('JSON', 'parse', () => ({ patched: true })),
  'Object.keys': replace('Object', 'keys', () => []),
  'Array.isArray': replace('Array', 'isArray', () => false),
  'Object.prototype': pollute('Object', 'patched', true),
  'Object.prototype.toJSON': pollute('Object', 'toJSON', () => 'patched'),
  'Array.prototype': pollute('Array', 'patched', true),
  'Array.prototype.push': pollute('Array', 'push', () => 0),
  'String.prototype.toJSON': pollute('String', 'toJSON', () => 'patched'),
  'Map.prototype.get': pollute('Map', 'get', () => undefined),
};

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  patches[what]?.();
  return { nonce };
};
