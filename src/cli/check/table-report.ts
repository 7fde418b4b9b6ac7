import { type Report, reasonOf, type TraceResult, verdictName } from './result.js';
import type { Writer } from './writer.js';

/** Outcomes of many traces that say the same, in one row. */
interface Row {
  readonly guardrail: string;
  readonly verdict: string;
  readonly action: string;
  readonly reason: string;
  readonly first: string;
  traces: number;
}

/** Reasons may hold numbers and names of their trace: beyond so many rows of one guardrail and verdict, the others share one. */
const mostReasons = 8;
const longestReason = 90;
/** Of one guardrail, what needs a reader comes first. */
const verdicts = ['error', 'failed', 'skipped', 'passed'];
const head = ['guardrail', 'verdict', 'traces', 'action', 'first seen', 'reason'];

/** A table for people: which guardrail said what of how many traces, and where first. It does not grow with the traces. */
export function tableReport(out: Writer): Report {
  const rows = new Map<string, Row>();
  const reasons = new Map<string, number>();
  const count = (guardrail: string, verdict: string, action: string, said: string, { file, line }: TraceResult): void => {
    const group = JSON.stringify([guardrail, verdict, action]);
    const isNew = !rows.has(group + said);
    const known = reasons.get(group) ?? 0;
    const reason = isNew && known >= mostReasons ? 'for other reasons' : said;
    const row = rows.get(group + reason) ?? { guardrail, verdict, action, reason, first: `${file}:${line}`, traces: 0 };
    if (row.traces === 0 && reason === said) reasons.set(group, known + 1);
    row.traces++;
    rows.set(group + reason, row);
  };
  return {
    add(result) {
      if (result.kind === 'unreadable') return count('(unreadable trace)', 'error', '', printable(result.problem), result);
      for (const outcome of result.outcomes) {
        const verdict = verdictName(outcome);
        const action = outcome.kind === 'skip' || outcome.action === 'noop' ? '' : outcome.action;
        count(outcome.guardrailId, verdict, action, verdict === 'passed' ? '' : printable(reasonOf(outcome)), result);
      }
    },
    async end(totals) {
      const inOrder = [...rows.values()].sort((a, b) => compare(a.guardrail, b.guardrail) || verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict));
      const cells = inOrder.map(({ guardrail, verdict, traces, action, first, reason }) => [guardrail, verdict, traces.toLocaleString('en'), action, verdict === 'passed' ? '' : first, reason]);
      const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
      const line = (row: readonly string[]): string => `${row.map((text, at) => (at === 2 ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0))).join('  ').trimEnd()}\n`;
      await out.write(line(head) + line(widths.map((width) => '-'.repeat(width))) + cells.map(line).join(''));
      const number = (count: number): string => count.toLocaleString('en');
      const counts = `${number(totals.passed)} passed, ${number(totals.failed)} failed, ${number(totals.errors)} errors, ${number(totals.skipped)} skipped`;
      const unreadable = totals.unreadable === 0 ? '' : `, ${number(totals.unreadable)} of them unreadable`;
      await out.write(`\n${number(totals.traces)} traces${unreadable}: ${counts}. ${totals.stopping === 0 ? 'The build may go on.' : 'The build must stop.'}\n`);
    },
  };
}

/** By code units, whatever the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One line without control characters: a trace must not steer the terminal that its reason is shown on. */
function printable(text: string): string {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim();
  return line.length <= longestReason ? line : `${line.slice(0, longestReason - 1)}…`;
}
