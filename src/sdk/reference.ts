import { fields, kind, text } from './kinds.js';

/** The grammar of https://semver.org, section 11 of which orders what it matches. */
const number = '(?:0|[1-9]\\d*)';
const tags = '(?:-(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?';
const version = new RegExp(`^${number}\\.${number}\\.${number}${tags}$`);

/** npm's ranges (https://github.com/npm/node-semver#ranges): `1.x`, `^1.2.0`, `>=1.2 <2`, `1.0.0 - 1.4.0`, joined by `||`. */
const part = `(?:${number}|[xX*])`;
const partial = `v?${part}(?:\\.${part}(?:\\.${part}${tags})?)?`;
const comparator = `(?:[~^]|[<>]=?|=)?\\s*${partial}`;
const set = `(?:${partial}\\s+-\\s+${partial}|${comparator}(?:\\s+${comparator})*)`;
const range = new RegExp(`^\\s*${set}(?:\\s*\\|\\|\\s*${set})*\\s*$`);

/** A version by itself. */
export const semver = kind('a semantic version such as 1.2.3', (value) => typeof value === 'string' && version.test(value));

/** A version, or what admits several. */
export const semverRange = kind('a version range such as ^1.2.0', (value) => typeof value === 'string' && value.length <= 256 && range.test(value));

/** Something of a pack by id and version range, such as `^1.2.0`. */
export interface Reference {
  readonly id: string;
  readonly version: string;
}

/** The kind of a reference. */
export const reference = fields({ id: text, version: semverRange });

/** A reference to a tool, pinned to its version. One without a version of its own has the pack's, of which there is only one. */
export function referenceTo({ id, version = '*' }: { readonly id: string; readonly version?: string }): Reference {
  return { id, version };
}
