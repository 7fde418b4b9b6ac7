import { inspect, types } from 'node:util';
import type { Cause } from './messages.js';

const maxDepth = 5;
/** Causes and aggregated errors of one throw, all together: they may hold one another many times. */
const maxNested = 30;
const maxFields = 20;
const maxText = 16_384;

/**
 * Whatever was thrown, as plain data. Anything can be thrown: null, a cyclic object, a revoked
 * proxy, an error whose getters throw; none of them may throw again here.
 */
export function causeOf(thrown: unknown): Cause {
  return describe(thrown, 0, { nested: maxNested });
}

interface Budget {
  nested: number;
}

function describe(thrown: unknown, depth: number, budget: Budget): Cause {
  budget.nested--;
  if (!isObject(thrown)) return { name: thrown === null ? 'null' : typeof thrown, message: textOf(thrown) };
  if (!looksLikeError(thrown)) return { name: typeof thrown, message: textOf(firstFields(thrown)), ...detailsOf(thrown, depth, budget) };
  const stack = read(thrown, 'stack');
  return {
    name: stringOr(read(thrown, 'name'), 'Error'),
    message: stringOr(read(thrown, 'message'), ''),
    ...(typeof stack === 'string' ? { stack: cut(stack) } : {}),
    ...detailsOf(thrown, depth, budget),
  };
}

/** One line for people: the message of an error, or what else was thrown. */
export function messageOf(cause: Cause): string {
  return cause.message === '' ? cause.name : cause.message;
}

function detailsOf(thrown: object, depth: number, budget: Budget): Partial<Cause> {
  const code = read(thrown, 'code');
  const connection = read(thrown, 'connection');
  const cause = read(thrown, 'cause');
  const errors = read(thrown, 'errors');
  const goesOn = (): boolean => depth < maxDepth && budget.nested > 0;
  return {
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // Which one the runtime is to renew.
    ...(typeof connection === 'string' && read(thrown, 'name') === 'ConnectionRejected' ? { connection: cut(connection) } : {}),
    ...(cause !== undefined && goesOn() ? { cause: describe(cause, depth + 1, budget) } : {}),
    ...(isErrorList(errors) && goesOn() ? { errors: listed(errors, depth, budget) } : {}),
  };
}

function listed(errors: readonly unknown[], depth: number, budget: Budget): Cause[] {
  const causes: Cause[] = [];
  for (let at = 0; at < errors.length && budget.nested > 0; at++) causes.push(describe(read(errors, String(at)), depth + 1, budget));
  return causes;
}

/** Of a large object the first fields say what it is; showing all of them could take seconds. */
function firstFields(value: object): unknown {
  try {
    const keys = Object.keys(value);
    return keys.length <= maxFields ? value : Object.fromEntries(keys.slice(0, maxFields).map((key) => [key, read(value, key)]));
  } catch {
    return value;
  }
}

function isErrorList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false; // A revoked proxy.
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Errors of other realms and hand-made ones count too: what matters is that they have a message. */
function looksLikeError(value: object): boolean {
  if (types.isNativeError(value)) return true;
  return typeof value === 'object' && typeof read(value, 'message') === 'string' && typeof read(value, 'name') === 'string';
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? cut(value) : otherwise;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return cut(value);
  try {
    return cut(inspect(value, { depth: 2, maxArrayLength: 20, maxStringLength: 1000, breakLength: Infinity, customInspect: false }));
  } catch {
    return 'a value that cannot be shown';
  }
}

function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}
