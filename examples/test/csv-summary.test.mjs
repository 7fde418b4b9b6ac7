import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import csvSummary from '../tools/csv-summary.mjs';

const summarise = (csv, { delimiter = ',', hasHeader = true } = {}) => csvSummary.handler({ csv, delimiter, hasHeader });
const names = (csv, options) => summarise(csv, options).columns.map(({ name }) => name);
const column = (csv, position = 0) => summarise(csv).columns[position];

describe('example.csv-summary', () => {
  it('summarises numbers, texts and empty columns', () => {
    assert.deepEqual(summarise('city,visitors,note\nParis,10,\nRome,20,\nParis,15,\n'), {
      rowCount: 3,
      columns: [
        { name: 'city', kind: 'text', count: 3, missing: 0, distinct: 2 },
        { name: 'visitors', kind: 'number', count: 3, missing: 0, distinct: 3, minimum: 10, maximum: 20, mean: 15 },
        { name: 'note', kind: 'empty', count: 0, missing: 3, distinct: 0 },
      ],
      raggedRowCount: 0,
      raggedRows: [],
    });
  });

  it('reads quoted cells with delimiters, quotes and line ends in them', () => {
    assert.deepEqual(names('"a,b","say ""hello""","two\r\nlines"\n1,2,3'), ['a,b', 'say "hello"', 'two\r\nlines']);
  });

  it('reads every line end, a last line without one, and a byte order mark', () => {
    for (const csv of ['a,b\r\n1,2\r\n', 'a,b\n1,2\n', 'a,b\r1,2\r', 'a,b\n1,2', '\uFEFFa,b\n1,2']) {
      assert.deepEqual(names(csv), ['a', 'b'], JSON.stringify(csv));
      assert.equal(summarise(csv).rowCount, 1, JSON.stringify(csv));
    }
  });

  it('skips blank lines but not a quoted empty cell', () => {
    assert.equal(summarise('a\n\n1\n\n\n2\n').rowCount, 2);
    assert.equal(summarise('a\n""\n').rowCount, 1);
  });

  it('counts empty, blank and absent cells as missing', () => {
    assert.deepEqual(column('a,b\n1,\n2,"  "\n3\n4,x', 1), { name: 'b', kind: 'text', count: 1, missing: 3, distinct: 1 });
  });

  it('names ragged rows by the line they start on', () => {
    const summary = summarise('a,b\n"1\n2",3\n4\n5,6,7\n');
    assert.equal(summary.raggedRowCount, 2);
    assert.deepEqual(summary.raggedRows, [{ line: 4, cells: 1 }, { line: 5, cells: 3 }]);
  });

  it('lists the first hundred ragged rows and counts all', () => {
    const summary = summarise(`a,b\n${'1\n'.repeat(150)}`);
    assert.equal(summary.raggedRows.length, 100);
    assert.equal(summary.raggedRowCount, 150);
  });

  it('takes the first row for data when there is no header', () => {
    const summary = summarise('1,x\n3,y\n', { hasHeader: false });
    assert.equal(summary.rowCount, 2);
    assert.deepEqual(summary.columns.map(({ name }) => name), ['column 1', 'column 2']);
    assert.equal(summary.columns[0].mean, 2);
  });

  it('keeps columns of one name apart and names the nameless', () => {
    assert.deepEqual(names('a,a,\n1,x,2'), ['a', 'a', 'column 3']);
  });

  it('reads other delimiters', () => {
    for (const delimiter of [';', '\t', '|']) {
      assert.deepEqual(names(`a${delimiter}b,c\n1${delimiter}2`, { delimiter }), ['a', 'b,c']);
    }
  });

  it('tells numbers from identifiers and words', () => {
    const kinds = { 12: 'number', '-1.5': 'number', '+.5': 'number', '1e3': 'number', '0': 'number', '0.5': 'number', '01067': 'text', '1,5': 'text', '0x10': 'text', Infinity: 'text', NaN: 'text', '1e999': 'text', '.': 'text' };
    for (const [cell, kind] of Object.entries(kinds)) assert.equal(column(`a\n"${cell}"`).kind, kind, cell);
  });

  it('makes a column with one word among numbers text', () => {
    assert.equal(column('a\n1\n2\nunknown\n4').kind, 'text');
  });

  it('counts 1 and 1.0 as one number', () => {
    assert.equal(column('a\n1\n1.0\n2').distinct, 2);
  });

  it('answers a finite mean for numbers whose sum is not', () => {
    assert.equal(column('a\n1e308\n1e308').mean, 1e308);
  });

  it('keeps a quote inside a cell that did not start with one', () => {
    assert.deepEqual(names('5" pipe,b\n1,2'), ['5" pipe', 'b']);
  });

  it('names the line of an unclosed quote and of text after a closing one', () => {
    assert.throws(() => summarise('a\nb\n"c\nd'), { name: 'CsvError', message: /^line 3: / });
    assert.throws(() => summarise('a\n"b"c\n'), { name: 'CsvError', message: /^line 2: / });
  });

  it('refuses a text without rows and one with too many columns', () => {
    assert.throws(() => summarise('\r\n\n'), { name: 'CsvError' });
    assert.throws(() => summarise(','.repeat(1000)), { name: 'CsvError' });
  });

  it('summarises a header alone', () => {
    assert.deepEqual(column('a'), { name: 'a', kind: 'empty', count: 0, missing: 0, distinct: 0 });
  });
});
