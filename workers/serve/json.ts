import type { Issue } from '../../src/protocol/messages.js';

// Taken before any pack code runs: a handler that replaces JSON.stringify must not change what others answer.
const { parse, stringify } = JSON;
const { isArray } = Array;
const { keys } = Object;

export const parseJson: (text: string) => unknown = parse;

/**
 * Writes a message of packhost's own. A `toJSON` that pack code put where every object inherits it would
 * speak for the message too: it goes.
 */
export function stringifyMessage(message: object): string {
  if ('toJSON' in message) {
    delete (Object.prototype as { toJSON?: unknown }).toJSON;
    delete (Array.prototype as { toJSON?: unknown }).toJSON;
  }
  return stringify(message);
}

/** A return value in its JSON form: the text, and what a reader of the text will see. */
export type JsonForm = { readonly kind: 'json'; readonly text: string; readonly value: unknown } | { readonly kind: 'not-json'; readonly issue: Issue };

/**
 * Turns a return value into JSON. What is validated is the parsed text, so that it is what arrives:
 * a Date is its ISO string, a Map or Set `{}`, NaN and Infinity null, undefined fields are gone, and
 * undefined itself is null. What JSON would lose or cannot carry (a function, symbol, BigInt,
 * promise, weak collection or cycle) is an issue that names the place. Throws what a getter or
 * `toJSON` of the value throws.
 */
export function toJson(value: unknown): JsonForm {
  let text: string | undefined;
  try {
    text = stringify(value === undefined ? null : value);
  } catch (error) {
    const issue = findNonJson(value);
    if (issue === undefined) throw error;
    return { kind: 'not-json', issue };
  }
  const issue = findNonJson(value);
  if (issue !== undefined || text === undefined) return { kind: 'not-json', issue: issue ?? issueAt({ path: '', what: 'a value without a JSON form' }) };
  return { kind: 'json', text, value: parse(text) };
}

interface NonJson {
  readonly path: string;
  readonly what: string;
}

function findNonJson(value: unknown): Issue | undefined {
  try {
    const found = search(value, []);
    return found && issueAt(found);
  } catch (error) {
    // A stack overflow: JSON.stringify would have met it as well. Anything else is pack code's own throw.
    return error instanceof RangeError && error.message === 'Maximum call stack size exceeded' ? issueAt({ path: '', what: 'a value nested too deeply' }) : undefined;
  }
}

function issueAt({ path, what }: NonJson): Issue {
  return { instancePath: path, message: `must be JSON, which ${what} is not` };
}

function search(value: unknown, ancestors: object[]): NonJson | undefined {
  switch (typeof value) {
    case 'bigint':
      return typeof (BigInt.prototype as { toJSON?: unknown }).toJSON === 'function' ? undefined : { path: '', what: 'a BigInt' };
    case 'function':
    case 'symbol':
      return { path: '', what: `a ${typeof value}` };
    case 'object':
      return value === null ? undefined : searchObject(value, ancestors);
    default:
      return undefined;
  }
}

function searchObject(value: object, ancestors: object[]): NonJson | undefined {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (ancestors.includes(value)) return { path: '', what: 'a cycle' };
  const what = unreadable(value);
  if (what !== undefined) return { path: '', what };
  if (ArrayBuffer.isView(value)) return undefined;
  ancestors.push(value);
  const found = isArray(value) ? searchItems(value, ancestors) : searchFields(value as Record<string, unknown>, ancestors);
  ancestors.pop();
  return found;
}

function searchItems(items: readonly unknown[], ancestors: object[]): NonJson | undefined {
  for (let at = 0; at < items.length; at++) {
    const found = search(items[at], ancestors);
    if (found) return { path: `/${at}${found.path}`, what: found.what };
  }
  return undefined;
}

function searchFields(fields: Record<string, unknown>, ancestors: object[]): NonJson | undefined {
  for (const key of keys(fields)) {
    const found = search(fields[key], ancestors);
    if (found) return { path: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}${found.path}`, what: found.what };
  }
  return undefined;
}

/** These would go out as `{}` and lose all they hold: for a promise, nearly always an `await` that was forgotten. */
function unreadable(value: object): string | undefined {
  if (value instanceof Promise) return 'a promise';
  if (value instanceof WeakMap) return 'a WeakMap';
  if (value instanceof WeakSet) return 'a WeakSet';
  if (value instanceof WeakRef) return 'a WeakRef';
  return undefined;
}
