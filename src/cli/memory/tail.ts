import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry } from '../../memory/index.js';
import { BadUsage, countOf, type MemoryCommand, selectionOptions } from './command.js';
import { plain, print, printJson } from './output.js';

const pollMs = 300;
const longestPayload = 200;

export const tailCommand: MemoryCommand = {
  summary: "show a run's last entries, and follow it",
  usage: 'packhost memory tail URL --tenant T --run R [--lines N] [--follow] [--json]',
  help: '--lines is 10 by default. --follow goes on with what is appended, until it is interrupted.',
  options: { ...selectionOptions, lines: { type: 'string' }, follow: { type: 'boolean' }, json: { type: 'boolean' } },
  operands: 0,
  async run({ memory, flags }) {
    const { tenant: tenantId, run: runId } = flags;
    if (typeof tenantId !== 'string' || typeof runId !== 'string') throw new BadUsage('--tenant and --run are required');
    const show = flags['json'] === true ? printJson : (entry: LogEntry) => print(lineOf(entry));
    let next = 0;
    for await (const head of memory.log.heads({ tenantId, runId })) next = Math.max(0, head.sequence + 1 - (countOf(flags, 'lines') ?? 10));
    const stopped = new AbortController();
    if (flags['follow'] === true) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
    do {
      for await (const entry of memory.log.read({ tenantId, runId, from: next })) {
        show(entry);
        next = entry.sequence + 1;
      }
      if (flags['follow'] !== true) break;
      await sleep(pollMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    } while (!stopped.signal.aborted);
    return 0;
  },
};

/** One line an entry; --json has all of it. */
function lineOf({ sequence, timestamp, kind, actor, payload }: LogEntry): string {
  const text = payload === undefined ? '' : JSON.stringify(payload);
  const short = text.length > longestPayload ? `${text.slice(0, longestPayload)}…` : text;
  return plain(`${sequence}  ${timestamp}  ${kind}${actor === undefined ? '' : `  ${actor}`}${short === '' ? '' : `  ${short}`}`) + '\n';
}
