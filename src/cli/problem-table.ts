import { styleText } from 'node:util';
import type { Problem } from '../indexer/problem.js';

/** Problems for people: by file, one to a line, its columns in line, hints below. */
export function problemTable(problems: readonly Problem[], inColour: boolean): string {
  const paint = (style: 'red' | 'yellow' | 'dim' | 'underline', text: string): string => (inColour ? styleText(style, text) : text);
  const files = [...new Set(problems.map(({ file }) => file))];
  return files
    .map((file) => {
      const rows = problems.filter((problem) => problem.file === file);
      const widths = [Math.max(...rows.map(({ severity }) => severity.length)), Math.max(...rows.map((row) => place(row).length))] as const;
      const lines = rows.map((row) => {
        const severity = paint(row.severity === 'error' ? 'red' : 'yellow', row.severity.padEnd(widths[0]));
        const line = `  ${severity}  ${place(row).padEnd(widths[1])}  ${row.message}  ${paint('dim', row.rule)}`;
        return row.hint === undefined ? line : `${line}\n  ${' '.repeat(widths[0])}  ${paint('dim', row.hint)}`;
      });
      return `${paint('underline', file === '' ? 'the pack' : file)}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** `2 errors, 1 warning`. */
export function countProblems(problems: readonly Problem[]): string {
  const count = (severity: Problem['severity']): string[] => {
    const many = problems.filter((problem) => problem.severity === severity).length;
    return many === 0 ? [] : [`${many} ${severity}${many === 1 ? '' : 's'}`];
  };
  return [...count('error'), ...count('warning')].join(', ');
}

function place({ entry, field }: Problem): string {
  return [entry, field].filter(Boolean).join(' ');
}
