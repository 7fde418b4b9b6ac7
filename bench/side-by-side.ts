import { withGenerator } from './load/generator.js';
import { clean, closedRound, throughputFigures } from './load/rounds.js';
import { type Measurement, type Metric, Recording } from './measurement.js';
import type { Pack } from './packs/write-pack.js';
import { type BenchContext, rotated } from './scenario.js';
import { proveCall } from './targets/calibrate.js';
import { withOne } from './targets/target.js';

/** One of two services that differ in one thing. */
export interface Side {
  readonly name: string;
  readonly pack: Pack;
  /** The echo that is called. */
  readonly tool: string;
}

/** As many threads on either side all the time: what is measured is a few microseconds. */
export const sideFlags: readonly string[] = ['--max-concurrency', '512', '--min-threads', '2', '--max-threads', '2'];

/** What each side is measured by; ratios are to the side that the scenario calls its floor. */
export const sideMetrics: readonly Metric[] = [
  { name: 'cpuMicrosecondsPerCall', label: 'CPU µs/call', digits: 1, ratio: true },
  { name: 'callsPerSecond', label: 'calls/s', digits: 0, ratio: true },
];

const message = { text: 'hello from the benchmark' };

/** Calls both sides in turn, round by round, over 16 connections. */
export async function sideBySide({ pace, packhost, progress }: BenchContext, [one, other]: readonly [Side, Side]): Promise<Measurement[]> {
  const recording = new Recording();
  await withOne(packhost(sideFlags), one.pack, 'echo', (first) =>
    withOne(packhost(sideFlags), other.pack, 'echo', (second) =>
      withGenerator(async (generator) => {
        const services = [{ ...one, running: first }, { ...other, running: second }];
        const proven = await Promise.all(services.map(async ({ name, tool, running }) => ({ name, pid: running.server.pid, call: await proveCall(running, tool, message, message) })));
        for (const { name, pid, call } of proven) {
          progress(`warming ${name}`);
          await closedRound(generator, call, { connections: 16, pid, warmMs: 0, durationMs: pace.firstWarmMs });
        }
        for (let turn = 0; turn < pace.rounds; turn++) {
          progress(`round ${turn + 1} of ${pace.rounds}`);
          for (const { name, pid, call } of rotated(proven, turn)) {
            const report = await closedRound(generator, call, { connections: 16, pid, warmMs: pace.warmMs, durationMs: pace.roundMs });
            const { callsPerSecond, cpuMicrosecondsPerCall } = throughputFigures(clean(report, name));
            recording.add(name, {}, { callsPerSecond: callsPerSecond ?? NaN, cpuMicrosecondsPerCall: cpuMicrosecondsPerCall ?? NaN });
          }
        }
      })));
  return recording.measurements();
}
