import { ColumnSummary } from '../library/column-summary.mjs';
import { CsvError, parseCsv } from '../library/csv.mjs';

const maximumColumns = 1000;
const maximumRaggedRows = 100;

/** @typedef {{ csv: string, delimiter: ',' | ';' | '\t' | '|', hasHeader: boolean }} Input */

export default {
  id: 'example.csv-summary',
  description: 'Summarises a CSV text: for every column its kind, missing cells, distinct values and, where all values are numbers, minimum, maximum and mean. Rows with too few or too many cells are named by their line.',
  mutating: false,
  network: { kind: 'none' },
  limits: { memMB: 256, cpuMs: 10_000 },
  input: {
    type: 'object',
    required: ['csv'],
    additionalProperties: false,
    properties: {
      csv: { type: 'string', minLength: 1, maxLength: 5_000_000, description: 'The CSV text, as RFC 4180 describes it.' },
      delimiter: { type: 'string', enum: [',', ';', '\t', '|'], default: ',', description: 'What stands between two cells.' },
      hasHeader: { type: 'boolean', default: true, description: 'Whether the first row names the columns.' },
    },
  },
  output: {
    type: 'object',
    required: ['rowCount', 'columns', 'raggedRowCount', 'raggedRows'],
    additionalProperties: false,
    properties: {
      rowCount: { type: 'integer', minimum: 0, description: 'Rows without the header.' },
      columns: {
        type: 'array',
        maxItems: maximumColumns,
        items: {
          type: 'object',
          required: ['name', 'kind', 'count', 'missing', 'distinct'],
          additionalProperties: false,
          properties: {
            name: { type: 'string' },
            kind: { type: 'string', enum: ['number', 'text', 'empty'] },
            count: { type: 'integer', minimum: 0, description: 'Cells that hold something.' },
            missing: { type: 'integer', minimum: 0, description: 'Cells that are empty, blank or absent.' },
            distinct: { type: 'integer', minimum: 0 },
            minimum: { type: 'number' },
            maximum: { type: 'number' },
            mean: { type: 'number' },
          },
        },
      },
      raggedRowCount: { type: 'integer', minimum: 0, description: 'Rows whose number of cells is not the number of columns.' },
      raggedRows: {
        type: 'array',
        maxItems: maximumRaggedRows,
        description: 'The first of them.',
        items: {
          type: 'object',
          required: ['line', 'cells'],
          additionalProperties: false,
          properties: {
            line: { type: 'integer', minimum: 1 },
            cells: { type: 'integer', minimum: 1 },
          },
        },
      },
    },
  },

  /** @param {Input} input */
  handler({ csv, delimiter, hasHeader }) {
    const records = parseCsv(csv, delimiter);
    const first = records.next().value;
    if (!first) throw new CsvError('the text holds no rows');
    if (first.cells.length > maximumColumns) throw new CsvError(`more than ${maximumColumns} columns`);

    const columns = first.cells.map((cell, position) => ({
      name: (hasHeader && cell.trim()) || `column ${position + 1}`,
      summary: new ColumnSummary(),
    }));
    /** @type {{ line: number, cells: number }[]} */
    const raggedRows = [];
    let raggedRowCount = 0;
    let rowCount = 0;

    for (const { line, cells } of hasHeader ? records : startingWith(first, records)) {
      rowCount += 1;
      cells.forEach((cell, position) => columns[position]?.summary.add(cell));
      if (cells.length === columns.length) continue;
      raggedRowCount += 1;
      if (raggedRows.length < maximumRaggedRows) raggedRows.push({ line, cells: cells.length });
    }
    return {
      rowCount,
      columns: columns.map(({ name, summary }) => ({ name, ...summary.statistics(rowCount) })),
      raggedRowCount,
      raggedRows,
    };
  },
};

/**
 * @template T
 * @param {T} first
 * @param {Iterable<T>} rest
 */
function* startingWith(first, rest) {
  yield first;
  yield* rest;
}
