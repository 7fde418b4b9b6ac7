import { matchAt } from './match-at.mjs';

/**
 * @typedef {object} CsvRecord
 * @property {number} line The line it starts on, counted from 1; a quoted cell may span several.
 * @property {string[]} cells
 */

/** The text is not CSV; the message names the line. */
export class CsvError extends Error {
  name = 'CsvError';
}

const lineEnd = /\r\n|\r|\n/y;
const lineEnds = /\r\n|\r|\n/g;

/**
 * Reads CSV as RFC 4180 describes it. More is accepted than it asks for: any
 * line end, a byte order mark, blank lines (skipped), and a quote inside a cell
 * that did not start with one (kept as it is).
 *
 * @param {string} text
 * @param {',' | ';' | '\t' | '|'} delimiter
 * @returns {Generator<CsvRecord, void>}
 */
export function* parseCsv(text, delimiter = ',') {
  const bareCell = new RegExp(`[^${delimiter}\r\n]*`, 'y');
  let position = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;

  while (position < text.length) {
    const startsAt = position;
    /** @type {CsvRecord} */
    const record = { line, cells: [] };
    for (;;) {
      const cell = text[position] === '"' ? readQuoted(text, position, line) : readBare(text, position, bareCell);
      record.cells.push(cell.value);
      line += cell.lineEnds;
      position = cell.end;
      if (text[position] !== delimiter) break;
      position += 1;
    }
    const isBlank = position === startsAt;

    if (position < text.length) {
      const end = matchAt(lineEnd, text, position);
      if (!end) throw new CsvError(`line ${line}: text after a closing quote`);
      position += end.length;
      line += 1;
    }
    if (!isBlank) yield record;
  }
}

/**
 * @param {string} text
 * @param {number} position
 * @param {RegExp} bareCell
 */
function readBare(text, position, bareCell) {
  const value = matchAt(bareCell, text, position);
  return { value, end: position + value.length, lineEnds: 0 };
}

/**
 * @param {string} text
 * @param {number} position Of the opening quote.
 * @param {number} line
 */
function readQuoted(text, position, line) {
  let value = '';
  let from = position + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new CsvError(`line ${line}: a quote opens here and is never closed`);
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      return { value, end: quote + 1, lineEnds: value.match(lineEnds)?.length ?? 0 };
    }
    value += '"';
    from = quote + 2;
  }
}
