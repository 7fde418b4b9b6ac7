import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Recording, type Round } from '../measurement.js';
import type { Scenario } from '../scenario.js';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../agent-memory/main.js', import.meta.url));

async function measure(operation: string, url: string, amount = 0): Promise<Round> {
  const { stdout } = await execute(process.execPath, [program, operation, url, String(amount)]);
  const { entries, tookMs, peakMiB } = JSON.parse(stdout) as { entries: number; tookMs: number; peakMiB: number };
  return { perSecond: (entries * 1000) / tookMs, peakMiB };
}

export const agentMemory: Scenario = {
  name: 'agent-memory',
  title: 'The log on SQLite: appends, verification and export, with the memory they take',
  metrics: [
    { name: 'perSecond', label: 'entries/s', digits: 0 },
    { name: 'peakMiB', label: 'peak resident MiB', digits: 0 },
  ],
  flags: [],
  notes: [
    'Entries of some 300 bytes of payload in one run; every commit is synced to the disk before it is acknowledged. Batches are of 500 entries, one transaction each.',
    'Each figure is of a process of its own. The peak shows that verifying and exporting take no more memory for ten times the entries.',
  ],
  async run({ options, pace, progress }) {
    const recording = new Recording();
    const few = options.quick ? 1_000 : 20_000;
    const folder = await mkdtemp(join(tmpdir(), 'packhost-bench-memory-'));
    try {
      for (let round = 0; round < pace.rounds; round++) {
        progress(`round ${round + 1} of ${pace.rounds}`);
        recording.add('sqlite', { operation: 'append, one by one' }, await measure('one-by-one', `sqlite:${join(folder, `one-${round}.db`)}`, pace.roundMs));
        for (const entries of [few, 10 * few]) {
          const url = `sqlite:${join(folder, `batches-${round}-${entries}.db`)}`;
          for (const [operation, name] of [['batches', 'append, in batches'], ['verify', 'verify'], ['export', 'export']] as const) {
            recording.add('sqlite', { operation: name, entries }, await measure(operation, url, entries));
          }
        }
      }
    } finally {
      await rm(folder, { recursive: true });
    }
    return recording.measurements();
  },
};
