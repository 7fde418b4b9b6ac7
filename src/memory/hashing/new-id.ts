import { randomUUID } from 'node:crypto';

/** A UUID of version 7, which begins with the time: ids that are made together lie together in an index, however large it is. */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Of the random one, everything after its version's digit.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
