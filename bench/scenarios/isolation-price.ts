import { withGenerator } from '../load/generator.js';
import { clean, closedRound, throughputFigures } from '../load/rounds.js';
import { Recording } from '../measurement.js';
import { withPack } from '../packs/write-pack.js';
import { rotated, type Scenario } from '../scenario.js';
import { proveCall } from '../targets/calibrate.js';
import { withOne } from '../targets/target.js';

const flags = ['--max-concurrency', '512'];
const message = { text: 'hello from the benchmark' };
const unchecked = 'sandbox none';
const tools = [
  { name: unchecked, id: 'bench.unchecked', sandbox: 'none' },
  { name: 'context-isolated', id: 'bench.checked', sandbox: 'context-isolated' },
] as const;

/** What the look at a thread between two calls costs: the same tool in one service, with it and without. */
export const isolationPrice: Scenario = {
  name: 'isolation-price',
  title: 'An echo with the checks between calls, against one without',
  metrics: [
    { name: 'cpuMicrosecondsPerCall', label: 'CPU µs/call', digits: 1, ratio: true },
    { name: 'callsPerSecond', label: 'calls/s', digits: 0, ratio: true },
  ],
  floor: unchecked,
  flags,
  notes: ['One service hosts both tools, on threads of their own; a call has its thread to itself either way. Rounds take turns.'],
  async run({ pace, packhost, progress }) {
    const recording = new Recording();
    await withPack(tools.map(({ id, sandbox }) => ({ handler: 'echo', id, sandbox })), (pack) =>
      withOne(packhost(flags), pack, 'echo', (running) =>
        withGenerator(async (generator) => {
          const proven = await Promise.all(tools.map(async ({ name, id }) => ({ name, call: await proveCall(running, id, message, message) })));
          const round = { connections: 16, pid: running.server.pid };
          for (const { name, call } of proven) {
            progress(`warming ${name}`);
            await closedRound(generator, call, { ...round, warmMs: 0, durationMs: pace.firstWarmMs });
          }
          for (let turn = 0; turn < pace.rounds; turn++) {
            progress(`round ${turn + 1} of ${pace.rounds}`);
            for (const { name, call } of rotated(proven, turn)) {
              const report = await closedRound(generator, call, { ...round, warmMs: pace.warmMs, durationMs: pace.roundMs });
              const { callsPerSecond, cpuMicrosecondsPerCall } = throughputFigures(clean(report, name));
              recording.add(name, {}, { callsPerSecond: callsPerSecond ?? NaN, cpuMicrosecondsPerCall: cpuMicrosecondsPerCall ?? NaN });
            }
          }
        })));
    return recording.measurements();
  },
};
