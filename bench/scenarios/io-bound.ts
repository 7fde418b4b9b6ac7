import { withGenerator } from '../load/generator.js';
import { clean, closedRound, throughputFigures } from '../load/rounds.js';
import { peakUsage } from '../measure/process-usage.js';
import { Recording } from '../measurement.js';
import { toolId, withPack } from '../packs/write-pack.js';
import type { Scenario } from '../scenario.js';
import { proveCall } from '../targets/calibrate.js';
import { withOne } from '../targets/target.js';

const waitMs = 100;
const shared = ['--calls-per-worker', '64', '--max-concurrency', '512'];
const exclusive = ['--max-concurrency', '64'];
const settings = [
  ...[32, 128, 512].map((concurrent) => ({ concurrent, callsPerWorker: 64, flags: shared, warmMs: 2000 })),
  // A thread for each of 64 calls: the pool needs a while to grow to that.
  { concurrent: 64, callsPerWorker: 1, flags: exclusive, warmMs: 10_000 },
];

export const ioBound: Scenario = {
  name: 'io-bound',
  title: 'Handlers that wait 100 ms: how many at once, on how many threads',
  metrics: [
    { name: 'callsPerSecond', label: 'calls/s', digits: 0 },
    { name: 'idealPercent', label: '% of ideal', digits: 0 },
    { name: 'cpuMicrosecondsPerCall', label: 'CPU µs/call', digits: 0 },
    { name: 'threads', label: 'threads', digits: 0 },
    { name: 'residentMiB', label: 'resident MiB', digits: 0 },
  ],
  flags: [`${shared.join(' ')} where calls share a thread`, `${exclusive.join(' ')} where each has its own`],
  notes: [
    'Ideal is one call per connection every 100 ms. Threads are all of the process, with Node.js\'s own; threads and memory are the highest seen.',
    'A fresh process for every round, so that no row inherits another one\'s threads; counted after 2 s of load, where each call has its own thread after 10 s.',
  ],
  async run({ options, pace, packhost, progress }) {
    const recording = new Recording();
    await withPack([{ handler: 'waiter' }], (pack) =>
      withGenerator(async (generator) => {
        for (let round = 0; round < pace.rounds; round++) {
          for (const { concurrent, callsPerWorker, flags, warmMs: fullWarmMs } of settings) {
            const warmMs = options.quick ? 400 : fullWarmMs;
            progress(`round ${round + 1} of ${pace.rounds}, ${concurrent} concurrent, ${callsPerWorker} per worker`);
            await withOne(packhost(flags), pack, 'waiter', async (target) => {
              const { pid } = target.server;
              const call = await proveCall(target, toolId('waiter'), { ms: waitMs }, { waited: waitMs });
              const work = closedRound(generator, call, { connections: concurrent, pid, warmMs, durationMs: pace.roundMs });
              const { result, threads, residentMiB } = await peakUsage(pid, work);
              const figures = throughputFigures(clean(result, `${concurrent} concurrent`));
              const idealPercent = ((figures['callsPerSecond'] ?? 0) / (concurrent / (waitMs / 1000))) * 100;
              recording.add(target.name, { concurrent, 'calls per worker': callsPerWorker }, { ...figures, idealPercent, threads, residentMiB });
            });
          }
        }
      }));
    return recording.measurements();
  },
};
