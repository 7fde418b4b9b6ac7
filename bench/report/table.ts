import type { Metric } from '../measurement.js';
import type { Summary } from '../measure/statistics.js';
import type { Result, ResultRow } from './result.js';

const number = (value: number, digits: number): string => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The median, and from where to where the rounds went. */
function cell(summary: Summary | undefined, digits: number): string {
  if (!summary) return '';
  const [median, min, max] = [summary.median, summary.min, summary.max].map((value) => number(value, digits));
  return min === max ? (median ?? '') : `${median} (${min}–${max})`;
}

function cells(row: ResultRow, metrics: readonly Metric[]): string[] {
  return metrics.flatMap(({ name, digits, ratio }) => {
    const value = cell(row.summary[name], digits);
    const times = row.ratios[name];
    return ratio ? [value, times ? `×${number(times.median, 2)}` : ''] : [value];
  });
}

/** Plain aligned text: the first columns say what was measured, the others are medians with their range. */
export function table(result: Result): string {
  const { metrics, results, floor } = result;
  const parameters = [...new Set(results.flatMap((row) => Object.keys(row.parameters)))];
  const head = [...parameters, 'target', ...metrics.flatMap(({ label, ratio }) => (ratio ? [label, `of ${floor ?? ''}`] : [label]))];
  const body = results.map((row) => [...parameters.map((name) => String(row.parameters[name] ?? '')), row.target, ...cells(row, metrics)]);
  const leftAligned = parameters.length + 1;
  const widths = head.map((title, column) => Math.max(title.length, ...body.map((line) => line[column]?.length ?? 0)));
  const line = (texts: readonly string[]): string =>
    texts.map((text, column) => (column < leftAligned ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0))).join('  ').trimEnd();
  return [
    `${result.scenario}: ${result.title}`,
    ...(result.flags.length > 0 ? [`packhost ${result.flags.join(' ')}`] : []),
    '',
    line(head),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...body.map(line),
    '',
    ...result.notes.map((note) => `  ${note}`),
  ].join('\n');
}
