import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry } from '../../memory/index.js';
import { BadUsage, countOf, type MemoryCommand, selectionOf, selectionOptions } from './command.js';
import { plain, print, printJson, table, writeLines } from './output.js';

/** `packhost memory export`. */
export const exportCommand: MemoryCommand = {
  summary: 'write the log as JSON Lines, verified on the way',
  usage: 'packhost memory export URL [--tenant T [--run R]] [--output FILE]',
  help: `Writes to standard output, or to FILE, which is there only once it is whole. Exits 1 at the first broken entry.`,
  options: { ...selectionOptions, output: { type: 'string' } },
  operands: 0,
  async run({ memory, flags }) {
    const lines = memory.log.export(selectionOf(flags));
    const file = flags['output'];
    if (typeof file !== 'string') {
      await writeLines(lines, process.stdout);
      return 0;
    }
    const draft = `${file}.part`;
    const stream = createWriteStream(draft, { flush: true });
    try {
      await writeLines(lines, stream);
      stream.end();
      await finished(stream);
      await rename(draft, file);
    } catch (error) {
      stream.destroy();
      // A file that is still being opened would be made after it was removed.
      await finished(stream).catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
    }
    return 0;
  },
};

/** `packhost memory import`. */
export const importCommand: MemoryCommand = {
  summary: 'take in what export wrote: all of it or nothing',
  usage: 'packhost memory import URL FILE [--json]',
  help: `FILE may be - for standard input. What is there already must be the same. Exits 1 when the file is not what was exported, and names its line.`,
  options: { json: { type: 'boolean' } },
  operands: 1,
  creates: true,
  async run({ memory, flags, operands: [file = '-'] }) {
    const input = file === '-' ? process.stdin : createReadStream(file);
    // A file that cannot be read must end the import, not wait for its first line forever.
    const lines = createInterface({ input, crlfDelay: Infinity });
    const failed = new Promise<never>((_, reject) => input.once('error', reject));
    const imported = await Promise.race([memory.log.import(lines), failed]);
    if (flags['json'] === true) printJson(imported);
    else print(`imported ${imported.entries.toLocaleString('en')} entries of ${imported.chains.toLocaleString('en')} runs; ${imported.known.toLocaleString('en')} were there already\n`);
    return 0;
  },
};

/** `packhost memory stats`. */
export const statsCommand: MemoryCommand = {
  summary: 'count what each tenant has',
  usage: 'packhost memory stats URL [--tenant T] [--json]',
  help: 'Counts runs, log entries, facts, their versions, and the bytes of their contents.',
  options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  operands: 0,
  async run({ memory, flags }) {
    const stats = await memory.stats(selectionOf(flags));
    if (flags['json'] === true) printJson(stats);
    else {
      const rows = stats.tenants.map(({ tenantId, runs, entries, facts, versions, factBytes }) => [tenantId, runs, entries, facts, versions, factBytes]);
      print(`${table(['tenant', 'runs', 'entries', 'facts', 'versions', 'bytes of facts'], rows)}\n${stats.engine}, ${stats.databaseBytes.toLocaleString('en')} bytes\n`);
    }
    return 0;
  },
};

/** `packhost memory sweep`. */
export const sweepCommand: MemoryCommand = {
  summary: 'delete the facts whose time has passed',
  usage: 'packhost memory sweep URL [--tenant T] [--dry-run] [--json]',
  help: 'Spares what is on legal hold. Without --tenant it also deletes blobs that no fact has had for an hour. --dry-run only tells.',
  options: { tenant: { type: 'string' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
  operands: 0,
  async run({ memory, flags }) {
    const dryRun = flags['dry-run'] === true;
    const swept = await memory.facts.sweep(selectionOf(flags), { dryRun });
    if (flags['json'] === true) printJson(swept);
    else {
      const done = dryRun ? 'would delete' : 'deleted';
      const rows = swept.versions.map(({ scope: { tenantId, ...within }, id, version }) => [tenantId, JSON.stringify(within), id, version]);
      print(`${rows.length > 0 ? `${table(['tenant', 'scope', 'fact', 'version'], rows)}\n` : ''}${done} ${swept.versions.length} versions and ${swept.blobs} blobs (${swept.blobBytes.toLocaleString('en')} bytes)\n`);
    }
    return 0;
  },
};

const pollMs = 300;
const longestPayload = 200;

/** `packhost memory tail`. */
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
