/**
 * Finds personal data by its form. Every finder takes time linear in the text:
 * a pattern is bounded, or its repetitions cannot match in two ways.
 */
import { findCreditCards, findIbans } from './payment-numbers.mjs';
import { findWithoutOverlap, replaceSpans } from './spans.mjs';

/** @typedef {import('./spans.mjs').Span} Span */
/** @typedef {'email' | 'iban' | 'credit-card' | 'ipv4' | 'phone'} PersonalDataKind */
/** @typedef {Span & { kind: PersonalDataKind }} PersonalData */
/** @typedef {Record<PersonalDataKind, number>} PersonalDataCounts */

/**
 * The most certain first: what has a checksum or an `@` is not taken for a phone number.
 *
 * @type {Record<PersonalDataKind, (text: string) => Iterable<Span>>}
 */
const finders = {
  email: findEmails,
  iban: findIbans,
  'credit-card': findCreditCards,
  ipv4: (text) => findPattern(text, ipv4),
  phone: (text) => findPattern(text, phone),
};

/** Every kind that is looked for. */
export const personalDataKinds = /** @type {PersonalDataKind[]} */ (Object.keys(finders));

/**
 * @param {string} text
 * @param {readonly PersonalDataKind[]} kinds
 * @returns {PersonalData[]} In the order of the text, never overlapping.
 */
export function findPersonalData(text, kinds = personalDataKinds) {
  // All kinds are looked for whatever was asked, so that an unwanted card number is not redacted as a phone number.
  const found = findWithoutOverlap(
    text,
    personalDataKinds.map((kind) => function* (/** @type {string} */ searched) {
      for (const { start, end } of finders[kind](searched)) yield { kind, start, end };
    }),
  );
  return found.filter(({ kind }) => kinds.includes(kind));
}

/**
 * @param {string} text
 * @param {readonly PersonalDataKind[]} kinds
 */
export function redactPersonalData(text, kinds = personalDataKinds) {
  const found = findPersonalData(text, kinds);
  return { text: replaceSpans(text, found, ({ kind }) => `[${kind}]`), counts: countByKind(found) };
}

/**
 * @param {readonly PersonalData[]} found
 * @returns {PersonalDataCounts}
 */
export function countByKind(found) {
  const counts = { email: 0, iban: 0, 'credit-card': 0, ipv4: 0, phone: 0 };
  for (const { kind } of found) counts[kind] += 1;
  return counts;
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 * @returns {Generator<Span>}
 */
function* findPattern(text, pattern) {
  for (const match of text.matchAll(pattern)) yield { start: match.index, end: match.index + match[0].length };
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`(?<![\\p{L}\\p{N}_]|\\d\\.)(?:${octet}\\.){3}${octet}(?![\\p{L}\\p{N}_]|\\.\\d)`, 'gu');

const notInWord = '(?<![\\p{L}\\p{N}])';
const international = `(?:\\+|${notInWord}00)[1-9](?:[ .()/\\-\\u00A0]{0,2}\\d){6,14}`;
const northAmerican = `${notInWord}(?:1[ .\\-])?(?:\\([2-9]\\d\\d\\) ?|[2-9]\\d\\d[ .\\-])\\d{3}[ .\\-]\\d{4}`;
// An area code of three digits or more tells a European number from a date.
const european = `${notInWord}\\(?0[1-9]\\d{1,3}\\)?(?=[ /\\-])(?:[ /\\-]?\\d){5,8}`;
const french = `${notInWord}0[1-9](?:[ .\\-]\\d\\d){4}`;
const phone = new RegExp(
  // Where another number follows, the first reading does not take the beginning of that one.
  `(?:${[`${international}(?!\\d|-\\d)`, international, northAmerican, european, french].join('|')})(?![\\p{L}\\p{N}])`,
  'gu',
);

const localPartCharacter = /[\p{L}\p{M}\p{N}._%+-]/u;
const domainLabel = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';
const domain = new RegExp(`(?:${domainLabel}\\.){1,126}(?:xn--[a-z0-9-]{1,59}|\\p{L}{2,63})`, 'iuy');

/**
 * Starts from each `@` and goes both ways; a part never holds another `@`, so
 * that no character is looked at more than a few times.
 *
 * @param {string} text
 * @returns {Generator<Span>}
 */
function* findEmails(text) {
  let previousEnd = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > previousEnd && localPartCharacter.test(text.charAt(start - 1))) start -= 1;
    if (start === at) continue;
    domain.lastIndex = at + 1;
    if (!domain.test(text)) continue;
    previousEnd = domain.lastIndex;
    yield { start, end: previousEnd };
  }
}
