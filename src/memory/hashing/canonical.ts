import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { InvalidRecord, type RecordIssue } from '../errors.js';

const deepest = 1000;
const halfPair = /\p{Surrogate}/u;

/** SHA-256 as the records write it: `sha256:` and 64 hex digits. */
export function sha256(data: string | Uint8Array): string {
  return `sha256:${hash('sha256', data, 'hex')}`;
}

/**
 * A value's one text under RFC 8785, or undefined for undefined. Throws InvalidRecord for what is not
 * JSON, naming the place: nothing is dropped or turned into something else on the way to the hash.
 */
export function canonicalJson(value: unknown, what: string, field: string): string | undefined {
  if (value === undefined) return undefined;
  const issue = notJson(value, 0);
  if (issue !== undefined) throw new InvalidRecord(what, [{ field: `${field}${issue.field}`, message: issue.message }]);
  return canonicalize(value);
}

/** The first thing that JSON does not have; its field is relative to the value. */
function notJson(value: unknown, depth: number): RecordIssue | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'string') return !halfPair.test(value) ? undefined : { field: '', message: 'has half of a surrogate pair' };
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { field: '', message: `is ${value}, which JSON does not have` };
  if (typeof value !== 'object') return { field: '', message: `is ${value === undefined ? 'undefined' : `a ${typeof value}`}, which JSON does not have` };
  if (depth === deepest) return { field: '', message: `is nested more than ${deepest} levels deep, or in itself` };
  if (Array.isArray(value)) return inItems(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return { field: '', message: 'is an object of a class; give what JSON is to have of it' };
  }
  for (const key of Object.keys(value)) {
    const child = (value as Record<string, unknown>)[key];
    if (child === undefined) continue;
    if (halfPair.test(key)) return { field: '', message: 'has a key with half of a surrogate pair' };
    const issue = notJson(child, depth + 1);
    if (issue !== undefined) return { field: `.${key}${issue.field}`, message: issue.message };
  }
  return undefined;
}

function inItems(items: readonly unknown[], depth: number): RecordIssue | undefined {
  for (let at = 0; at < items.length; at++) {
    const issue = notJson(items[at], depth + 1);
    if (issue !== undefined) return { field: `.${at}${issue.field}`, message: issue.message };
  }
  return undefined;
}
