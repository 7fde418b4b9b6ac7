import { withGenerator } from '../load/generator.js';
import { clean, closedRound, throughputFigures } from '../load/rounds.js';
import { Recording } from '../measurement.js';
import { toolId, withPack } from '../packs/write-pack.js';
import { rotated, type Scenario } from '../scenario.js';
import { proveCall } from '../targets/calibrate.js';
import { withOne } from '../targets/target.js';

// As many threads on either side all the time: what is measured is a few microseconds.
const flags = ['--max-concurrency', '512', '--min-threads', '2', '--max-threads', '2'];
const message = { text: 'hello from the benchmark' };
const unchecked = 'sandbox none';

/** What the look at a thread between two calls costs: the same tool with it and without. */
export const isolationPrice: Scenario = {
  name: 'isolation-price',
  title: 'An echo with the checks between calls, against one without',
  metrics: [
    { name: 'cpuMicrosecondsPerCall', label: 'CPU µs/call', digits: 1, ratio: true },
    { name: 'callsPerSecond', label: 'calls/s', digits: 0, ratio: true },
  ],
  floor: unchecked,
  flags,
  notes: ['Two services that differ in the sandbox of their tool alone; a call has its thread to itself in both. Rounds take turns.'],
  async run({ pace, packhost, progress }) {
    const recording = new Recording();
    await withPack([{ handler: 'echo', sandbox: 'none' }], (without) =>
      withPack([{ handler: 'echo', sandbox: 'context-isolated' }], (isolated) =>
        withOne(packhost(flags), without, 'echo', (first) =>
          withOne(packhost(flags), isolated, 'echo', (second) =>
            withGenerator(async (generator) => {
              const sides = [{ name: unchecked, running: first }, { name: 'context-isolated', running: second }];
              const proven = await Promise.all(sides.map(async ({ name, running }) => ({ name, pid: running.server.pid, call: await proveCall(running, toolId('echo'), message, message) })));
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
            })))));
    return recording.measurements();
  },
};
