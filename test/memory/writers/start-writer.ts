import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface WriterOptions {
  readonly url: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly perBatch?: number;
  /** It writes for ever by default. */
  readonly batches?: number;
  readonly atOnce?: number;
}

/** A writer at work; `acknowledged` grows as it goes. */
export interface Writer {
  readonly acknowledged: Map<number, string>;
  /** Resolves once it has been acknowledged so many entries. */
  until(count: number): Promise<void>;
  kill(): void;
  /** Its exit code, or null for a signal, once it is gone and its output read. */
  readonly ended: Promise<number | null>;
}

const program = fileURLToPath(new URL('./writer.js', import.meta.url));

/** Starts a writer without the instruments that tap has every Node process load. */
export function startWriter({ url, tenantId, runId, perBatch = 1, batches = 0, atOnce = 1 }: WriterOptions): Writer {
  const child = spawn(process.execPath, [program, url, tenantId, runId, ...[perBatch, batches, atOnce].map(String)], { env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const acknowledged = new Map<number, string>();
  let rest = '';
  let notify = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [sequence, id] = line.split(' ');
      if (id !== undefined) acknowledged.set(Number(sequence), id);
    }
    notify();
  });
  const ended = once(child, 'close').then(([code]) => (notify(), code as number | null));
  return {
    acknowledged,
    ended,
    kill: () => void child.kill('SIGKILL'),
    until: async (count) => {
      while (acknowledged.size < count && child.exitCode === null && child.signalCode === null) await new Promise<void>((resolve) => (notify = resolve));
    },
  };
}
