import { kindNames } from './kinds/index.js';
import type { Times } from './load/timing.js';
import type { SoakResult, Verdict } from './report.js';

/** A run as people read it: the calls, the times, then what held and what did not. */
export function tableOf(result: SoakResult): string {
  const { options, times, memory, threads, machine, versions } = result;
  const { seconds, rate, hostile, seed, connections, maxConcurrency, without } = options;
  return [
    `soak: ${result.calls} calls in ${seconds} s, ${rate}/s, ${(hostile * 100).toFixed(0)} % hostile, ${connections} connections, at most ${maxConcurrency} at once, seed ${seed}${without.length > 0 ? `, without ${without.join(', ')}` : ''}`,
    `packhost ${versions['packhost'] ?? ''}, Node.js ${versions['node'] ?? ''}, ${machine.cores} cores (${machine.model})`,
    '',
    ...aligned([['calls', '', 'came out as'], ...kindNames.flatMap((kind) => kindRow(result, kind))]),
    '',
    ...aligned([
      ['ms', 'p50', 'p90', 'p99', 'max', 'of'],
      timesRow('healthz', times.healthz),
      timesRow('echo, from when it was due', times.echo),
      timesRow('deadline to answer', times.deadlineToAnswer),
      timesRow('callers held up by themselves', times.callersHeldUp),
    ]),
    '',
    `memory   ${memory.referenceMiB.toFixed(0)} MiB after ${memory.atSecond.toFixed(0)} s, ${memory.endMiB.toFixed(0)} MiB at the end (may be ${(memory.bound * 100).toFixed(0)} % more)`,
    `threads  ${threads.atStart} at the start, ${threads.atEnd} at the end`,
    `callers  ${result.callerCores.toFixed(2)} of ${machine.cores} cores`,
    '',
    ...result.invariants.flatMap(verdictLines),
  ].join('\n');
}

function kindRow({ counts }: SoakResult, kind: string): string[][] {
  const row = counts[kind];
  if (row === undefined) return [];
  const outcomes = Object.entries(row).sort(([, a], [, b]) => b - a);
  const sum = outcomes.reduce((total, [, count]) => total + count, 0);
  return [[kind, String(sum), outcomes.map(([outcome, count]) => `${outcome} ${count}`).join(', ')]];
}

function timesRow(name: string, { p50, p90, p99, max, count }: Times): string[] {
  return [name, ...[p50, p90, p99, max].map((time) => time.toFixed(1)), String(count)];
}

function verdictLines({ held, says, count, broken }: Verdict): string[] {
  if (held) return [`holds    ${says}`];
  return [`BROKEN   ${says} (${count})`, ...broken.map((detail) => `         ${detail}`)];
}

/** The first column to the left, numbers to the right. */
function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (text: string): boolean => /^[\d.]*$/.test(text);
  const isRight = widths.map((_, column) => rows.slice(1).every((row) => isNumber(row[column] ?? '')));
  return rows.map((row) => row.map((text, column) => (isRight[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0))).join('  ').trimEnd());
}
