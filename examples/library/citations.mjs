import { findWithoutOverlap } from './spans.mjs';

/** @typedef {'number' | 'author-year' | 'doi' | 'url'} CitationKind */
/**
 * @typedef {object} Citation
 * @property {CitationKind} kind
 * @property {string} text As it stands in the text.
 * @property {string} value What is cited, in one form: the numbers, the works, the DOI, the address.
 * @property {number} start In UTF-16 code units.
 * @property {number} end
 */

/** @type {readonly CitationKind[]} */
export const citationKinds = ['number', 'author-year', 'doi', 'url'];

/**
 * Finds `[1]`, `[1, 3-5]`, `[^1]`, `[Smith 2020]`, `(Smith et al., 2020; Doe 2019)`,
 * DOIs and web addresses, in time linear in the text.
 *
 * @param {string} text
 * @returns {Citation[]} In the order of the text, never overlapping.
 */
export function findCitations(text) {
  return findWithoutOverlap(text, [findAddresses, findDois, findInSquareBrackets, findInRoundBrackets]);
}

// Square and curly brackets stand in no address but around an IPv6 host, and `[1]` often follows one directly.
const address = /(?<![\p{L}\p{N}])https?:\/\/(?:\[[\da-f:.]+\])?[^\s\0<>"`[\]{}|\\^]*/giu;
const doiResolver = /^https?:\/\/(?:dx\.|www\.)?doi\.org\/(10\.\d{4,9}\/.+)$/i;
const doi = /(?<![\p{L}\p{N}.])(?:doi:\s?)?10\.\d{4,9}\/[^\s\0<>"`[\]{}|\\^]+/giu;
const squareBrackets = /\[([^[\]\n\0]{1,200})\]/g;
const roundBrackets = /\(([^()\n\0]{1,200})\)/g;
const numbers = /^\^?\d{1,4}(?:\s?[,–-]\s?\d{1,4})*$/;
const authors = "\\p{Lu}[\\p{L}\\p{M}'’.,& -]{1,150}";
const year = '(?:1[5-9]|20)\\d\\d[a-z]?(?:, pp?\\. ?\\d{1,5}(?:[–-]\\d{1,5})?)?';
const authorYear = new RegExp(`^${authors}[ ,]${year}$`, 'u');
// In round brackets `May 2020` is more often a date.
const authorCommaYear = new RegExp(`^${authors}, ?${year}$`, 'u');

/**
 * @param {string} text
 * @returns {Generator<Citation>}
 */
function* findAddresses(text) {
  for (const match of text.matchAll(address)) {
    const found = withoutSentenceEnd(match[0]);
    if (!URL.canParse(found)) continue;
    const identifier = doiResolver.exec(found)?.[1];
    yield identifier === undefined
      ? citation('url', found, new URL(found).href, match.index)
      : citation('doi', found, decode(identifier).toLowerCase(), match.index);
  }
}

/**
 * @param {string} text
 * @returns {Generator<Citation>}
 */
function* findDois(text) {
  for (const match of text.matchAll(doi)) {
    const found = withoutSentenceEnd(match[0]);
    const identifier = found.slice(found.indexOf('10.'));
    // What followed the slash may have been punctuation alone.
    if (!/\/./.test(identifier)) continue;
    yield citation('doi', found, identifier.toLowerCase(), match.index);
  }
}

/**
 * @param {string} text
 * @returns {Generator<Citation>}
 */
function* findInSquareBrackets(text) {
  for (const match of text.matchAll(squareBrackets)) {
    const inside = (match[1] ?? '').trim();
    const works = listedWorks(inside, authorYear);
    if (numbers.test(inside)) {
      yield citation('number', match[0], inside.replace(/[\s^]/g, '').replaceAll('–', '-'), match.index);
    } else if (works) {
      yield citation('author-year', match[0], works, match.index);
    }
  }
}

/**
 * @param {string} text
 * @returns {Generator<Citation>}
 */
function* findInRoundBrackets(text) {
  for (const match of text.matchAll(roundBrackets)) {
    const works = listedWorks(match[1] ?? '', authorCommaYear);
    if (works) yield citation('author-year', match[0], works, match.index);
  }
}

/**
 * @param {string} inside
 * @param {RegExp} work
 */
function listedWorks(inside, work) {
  const parts = inside.split(';').map((part) => part.trim());
  return parts.every((part) => work.test(part)) ? parts.join('; ') : undefined;
}

/**
 * @param {CitationKind} kind
 * @param {string} text
 * @param {string} value
 * @param {number} start
 * @returns {Citation}
 */
function citation(kind, text, value, start) {
  return { kind, text, value, start, end: start + text.length };
}

/**
 * A full stop or a bracket after an address belongs to the sentence, except a
 * bracket that the address itself opened.
 *
 * @param {string} found
 */
function withoutSentenceEnd(found) {
  let open = 0;
  let end = 0;
  for (const character of found) {
    if (character === '(') open += 1;
    if (character === ')' && open-- === 0) break;
    end += character.length;
  }
  while (end > 0 && '.,;:!?\'’”*_'.includes(found.charAt(end - 1))) end -= 1;
  return found.slice(0, end);
}

/** @param {string} identifier */
function decode(identifier) {
  try {
    return decodeURIComponent(identifier);
  } catch {
    return identifier;
  }
}
