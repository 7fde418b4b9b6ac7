import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { importExample } from './example-pack.js';

interface Span {
  readonly start: number;
  readonly end: number;
}
type Delimiter = ',' | ';' | '\t' | '|';

const { parseCsv } = await importExample<{ parseCsv: (text: string, delimiter: Delimiter) => Iterable<{ cells: string[]; line: number }> }>('library/csv.mjs');
const { ColumnSummary } = await importExample<{
  ColumnSummary: new () => { add(cell: string): void; statistics(rowCount: number): { kind: string; count: number; missing: number; distinct: number; minimum: number; maximum: number; mean: number } };
}>('library/column-summary.mjs');
const { findPersonalData, redactPersonalData } = await importExample<{
  findPersonalData: (text: string) => (Span & { kind: string })[];
  redactPersonalData: (text: string) => { text: string };
}>('library/personal-data.mjs');
const { findCitations } = await importExample<{ findCitations: (text: string) => (Span & { text: string })[] }>('library/citations.mjs');
const { readHtml } = await importExample<{ readHtml: (html: string) => { title: string; text: string } }>('library/page-text.mjs');

const personalData = ['ann@example.com', '4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00', '+49 30 1234567', '555-123-4567', '10.0.0.1'];

/** Text in which what the pack looks for is likely, whole or in pieces. */
const likelyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...personalData, '@', '4111-1111-', 'DE89', '1.'),
      fc.constantFrom('[1]', '[', ']', '(', ')', '[Smith 2020]', '(Smith, 2020)', 'https://example.com/a_(b)', 'https://', '10.1000/xyz', 'doi:'),
      fc.constantFrom(' ', '-', '.', ',', '\n', '', '0', '4', 'a', 'é', '\0'),
      fc.string({ unit: 'grapheme', maxLength: 10 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

function areApartAndInOrder(spans: readonly Span[], length: number): boolean {
  return spans.every(({ start, end }, position) => start >= (spans[position - 1]?.end ?? 0) && end > start && end <= length);
}

t.test('what is written as CSV is read back the same', async () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', ',', ';', '\n', '\r\n', '\r', '', ' ', '\uFEFF', '""'));
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 8 }),
      fc.constantFrom<Delimiter>(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      (table, delimiter, lineEnd, endsWithLineEnd) => {
        const needsQuotes = new RegExp(`^$|["\\r\\n\\uFEFF${delimiter}]`);
        const rows = table.map((cells) => cells.map((text) => (needsQuotes.test(text) ? quoted(text) : text)).join(delimiter));
        const csv = rows.join(lineEnd) + (endsWithLineEnd ? lineEnd : '');
        assert.deepEqual([...parseCsv(csv, delimiter)].map(({ cells }) => cells), table);
      },
    ),
  );
});

t.test('any text is CSV or refused as such', async () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('"', ',', '\n', '\r', 'a', ' ')).map((pieces) => pieces.join('')), (text) => {
      try {
        return [...parseCsv(text, ',')].every(({ cells, line }) => cells.length > 0 && line > 0);
      } catch (error) {
        return error instanceof Error && error.name === 'CsvError';
      }
    }),
  );
});

t.test('a column of numbers has a mean between its ends', async () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), fc.nat({ max: 5 }), (numbers, absent) => {
      const summary = new ColumnSummary();
      for (const number of numbers) summary.add(String(number));
      const { kind, count, missing, distinct, minimum, maximum, mean } = summary.statistics(numbers.length + absent);
      return kind === 'number' && count === numbers.length && missing === absent && distinct <= count && minimum === Math.min(...numbers) && maximum === Math.max(...numbers) && mean >= minimum && mean <= maximum;
    }),
  );
});

t.test('personal data is found in order, apart, and all at once', async () => {
  fc.assert(fc.property(likelyText, (text) => areApartAndInOrder(findPersonalData(text), text.length)), { numRuns: 2000 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...personalData, '4111-1111-', '12', '1.', 'and', '0'), { maxLength: 15 }), fc.constantFrom(' ', ', ', '\n', ','), (pieces, separator) => {
      const redacted = redactPersonalData(pieces.join(separator)).text;
      assert.equal(redactPersonalData(redacted).text, redacted);
    }),
    { numRuns: 2000 },
  );
});

t.test('every card number with a right check digit is found, and no other', async () => {
  const body = fc.stringMatching(/^[2-6]\d{11,17}$/);
  const checkDigit = (digits: string): number => {
    const sum = [...digits].reverse().reduce((total, digit, position) => {
      const value = Number(digit) * (position % 2 === 0 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return (10 - (sum % 10)) % 10;
  };
  fc.assert(
    fc.property(body, fc.nat({ max: 9 }), (digits, last) => {
      const found = findPersonalData(`x ${digits}${last} x`).map(({ kind, start, end }) => [kind, start, end]);
      const isCard = last === checkDigit(digits);
      return JSON.stringify(found) === JSON.stringify(isCard ? [['credit-card', 2, digits.length + 3]] : []);
    }),
  );
});

t.test('every IBAN with right check digits is found, spaced or not, and no other', async () => {
  const remainder = (text: string): bigint => BigInt([...text].map((character) => Number.parseInt(character, 36)).join('')) % 97n;
  const account = fc.oneof(
    fc.stringMatching(/^[0-9]{18}$/).map((number) => ({ country: 'DE', number })),
    fc.stringMatching(/^[A-Z]{4}[0-9]{14}$/).map((number) => ({ country: 'GB', number })),
    fc.stringMatching(/^[A-Z]{4}[A-Z0-9]{24}$/).map((number) => ({ country: 'MT', number: number.slice(0, 27) })),
  );
  fc.assert(
    fc.property(account, fc.integer({ min: 2, max: 98 }), fc.boolean(), ({ country, number }, checkNumber, isSpaced) => {
      const check = String(checkNumber).padStart(2, '0');
      const iban = `${country}${check}${number}`;
      const isRight = remainder(`${number}${country}${check}`) === 1n;
      const written = isSpaced ? iban.replace(/(.{4})(?=.)/g, '$1 ') : iban;
      const isFound = findPersonalData(`x ${written}.`).some(({ kind, start, end }) => kind === 'iban' && start === 2 && end === written.length + 2);
      return isFound === isRight;
    }),
    { numRuns: 3000 },
  );
});

t.test('citations are found in order and apart, where they say they are', async () => {
  fc.assert(
    fc.property(likelyText, (text) => {
      const found = findCitations(text);
      return areApartAndInOrder(found, text.length) && found.every((citation) => text.slice(citation.start, citation.end) === citation.text);
    }),
    { numRuns: 2000 },
  );
});

t.test('escaped text comes out of a page as it went in', async () => {
  const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const collapsed = text.replace(/\s+/g, ' ').trim();
      assert.deepEqual(readHtml(`<title>${escape(text)}</title><body title="${escape(text).replaceAll('"', '')}"><p>${escape(text)}</p>`), { title: collapsed, text: collapsed });
    }),
  );
});

t.test('any page is read', async () => {
  const piece = fc.oneof(fc.constantFrom('<', '>', '"', "'", '</', '<p', '<p>', '</p>', '<main>', '</main>', '<nav>', '</nav>', '<script>', '</script>', '<!--', '-->', '<svg/>', '&', '&amp;', '&#0;', '/', '!', '<title>', '</title>'), fc.string({ maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(piece).map((pieces) => pieces.join('')), (html) => {
      const { title, text } = readHtml(html);
      return typeof title === 'string' && text.split('\n').every((line) => line === line.trim());
    }),
    { numRuns: 2000 },
  );
});
