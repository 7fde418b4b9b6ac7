/** A process that writes numbered lines to its stderr, and tells on its stdout how it fares. It ends with its stdin. */
import { once } from 'node:events';
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { neverBlock } from '../../src/logging/descriptor.js';
import { Output } from '../../src/logging/output.js';

export interface WriterOptions {
  /** The length of each line to write. */
  readonly lines: readonly number[];
  readonly bufferBytes: number;
  /** Has a worker thread write, whose writes wait so long for a stalled reader. */
  readonly patienceMs?: number;
  /** Has the process kill itself right after its last line. */
  readonly killsItself?: boolean;
  /** How long it waits at its end for its reader. */
  readonly flushMs?: number;
}

const options = (isMainThread ? JSON.parse(process.argv[2] ?? '') : workerData) as WriterOptions;
const { lines, bufferBytes, patienceMs, killsItself = false, flushMs = 0 } = options;
const output = new Output(2, {
  bufferBytes,
  ...(patienceMs === undefined ? {} : { patienceMs }),
  onLost: (lost) => output.write(`${JSON.stringify({ lost })}\n`),
});
const tell = (what: string): unknown => writeSync(1, `${what}\n`);

function writeLines(): void {
  tell('begins');
  for (const [line, length] of lines.entries()) {
    const start = `{"line":${line},"text":"`;
    output.write(`${start}${'x'.repeat(length - start.length - 3)}"}\n`);
  }
  if (killsItself) process.kill(process.pid, 'SIGKILL');
  tell('written');
}

async function writeUntilStopped(): Promise<void> {
  let worker: Worker | undefined;
  if (patienceMs === undefined) {
    writeLines();
  } else {
    neverBlock(2);
    worker = new Worker(new URL(import.meta.url), { workerData: options });
  }
  tell(`for others, stderr ${blocks(2) ? 'blocks' : 'does not block'}`);
  setInterval(() => tell('turned'), 10);
  await once(process.stdin.resume(), 'end');
  await worker?.terminate();
  await output.flush(flushMs);
  process.exit(0);
}

function blocks(descriptor: number): boolean {
  const nonBlocking = 0o4000;
  const [, flags = ''] = /flags:\s*([0-7]+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
  return (parseInt(flags, 8) & nonBlocking) === 0;
}

if (isMainThread) {
  await writeUntilStopped();
} else {
  // A thread of a service does not end by itself either.
  parentPort?.on('message', () => {});
  writeLines();
}
