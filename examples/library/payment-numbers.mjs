/** Numbers that carry a checksum: what only looks like one is left alone. */
import { matchAt } from './match-at.mjs';

/** @typedef {import('./spans.mjs').Span} Span */

/** Each country's length of an IBAN, as SWIFT publishes it. */
const ibanLengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 ' +
    'LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 ' +
    'QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/**
 * @param {string} text
 * @returns {Generator<Span>}
 */
export function* findIbans(text) {
  let previousEnd = 0;
  for (const match of text.matchAll(/(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}/gu)) {
    const start = match.index;
    const length = ibanLengths.get(match[0].slice(0, 2).toUpperCase());
    if (start < previousEnd || length === undefined) continue;
    const { characters, end } = readSpaced(text, start, length);
    if (characters.length < length || isWordCharacter(text.charAt(end)) || !hasIbanChecksum(characters)) continue;
    previousEnd = end;
    yield { start, end };
  }
}

/**
 * Reads letters and digits, with at most one space between two of them.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} length
 */
function readSpaced(text, start, length) {
  let characters = '';
  let position = start;
  let end = start;
  while (characters.length < length) {
    if (/[A-Za-z0-9]/.test(text.charAt(position))) {
      characters += text.charAt(position);
      end = position + 1;
    } else if (position > end || !isSpace(text.charAt(position))) break;
    position += 1;
  }
  return { characters: characters.toUpperCase(), end };
}

/** ISO 7064, modulo 97. @param {string} iban */
function hasIbanChecksum(iban) {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** How card numbers are written; free grouping would find them in any list of numbers. */
const cardShapes = ['\\d{13,19}', '\\d{4}(?:-\\d{4}){3}', '\\d{4}(?:-\\d{4}){3}-\\d{3}', '\\d{4}-\\d{6}-\\d{5}', '\\d{4}-\\d{6}-\\d{4}'].map(
  (shape) => new RegExp(`${shape.replaceAll('-', '[ \\u00A0-]')}(?![\\p{L}\\p{N}_])`, 'uy'),
);

/**
 * @param {string} text
 * @returns {Generator<Span>}
 */
export function* findCreditCards(text) {
  let previousEnd = 0;
  // Issuers' numbers start with 2 to 6; a time in milliseconds starts with 1, and a fraction with a point.
  for (const { index: start } of text.matchAll(/(?<![\p{L}\p{N}_]|\d\.)[2-6]\d{3}/gu)) {
    if (start < previousEnd) continue;
    const number = cardShapes.map((shape) => matchAt(shape, text, start)).find(hasLuhnChecksum);
    if (number === undefined) continue;
    previousEnd = start + number.length;
    yield { start, end: previousEnd };
  }
}

/** @param {string} number */
function hasLuhnChecksum(number) {
  const digits = number.replace(/\D/g, '');
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - index));
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits !== '' && sum % 10 === 0;
}

/** @param {string} character */
function isSpace(character) {
  return character === ' ' || character === '\u00A0';
}

/** @param {string} character */
function isWordCharacter(character) {
  return /[\p{L}\p{N}]/u.test(character);
}
