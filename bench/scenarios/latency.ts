import { type LoadGenerator, withGenerator } from '../load/generator.js';
import type { LoadReport } from '../load/job.js';
import { callsPerSecond, clean, closedRound, openRound } from '../load/rounds.js';
import { Recording, type Round } from '../measurement.js';
import { toolId, withPack } from '../packs/write-pack.js';
import { type Pace, rotated, type Scenario } from '../scenario.js';
import { type ProvenCall, proveCall } from '../targets/calibrate.js';
import { floorName, piscinaName } from '../targets/peers.js';
import { type RunningTarget, withRunning } from '../targets/target.js';

const shares = [25, 50, 75];
const connections = 64;
const flags = ['--max-concurrency', '512'];
const message = { text: 'hello from the benchmark' };

interface Rated {
  readonly target: RunningTarget;
  readonly call: ProvenCall;
  readonly maximum: number;
}

/** What a target answers per second at most: the best of three rounds, in this run on this machine. */
async function rate(target: RunningTarget, generator: LoadGenerator, pace: Pace): Promise<Rated> {
  const call = await proveCall(target, toolId('echo'), message, message);
  let maximum = 0;
  for (const warmMs of [pace.firstWarmMs, pace.warmMs, pace.warmMs]) {
    const report = await closedRound(generator, call, { connections, pid: target.server.pid, warmMs, durationMs: pace.roundMs });
    maximum = Math.max(maximum, callsPerSecond(clean(report, target.name)));
  }
  return { target, call, maximum };
}

const figures = (rate: number, { latencyMs: { p50, p90, p99, p999, max }, generatorCpuMs, seconds }: LoadReport): Round => ({
  rate, p50, p90, p99, p999, max, generatorCores: generatorCpuMs / 1000 / seconds,
});

export const latency: Scenario = {
  name: 'latency',
  title: 'Latency of an echo at fixed rates, from the moment each call was due',
  metrics: [
    { name: 'rate', label: 'calls/s', digits: 0 },
    { name: 'p50', label: 'p50 ms', digits: 2 },
    { name: 'p90', label: 'p90 ms', digits: 2 },
    { name: 'p99', label: 'p99 ms', digits: 2, ratio: true },
    { name: 'p999', label: 'p99.9 ms', digits: 2 },
    { name: 'max', label: 'max ms', digits: 1 },
    { name: 'generatorCores', label: 'generator cores', digits: 2 },
  ],
  floor: floorName,
  flags,
  notes: [
    'The rates are shares of each target\'s own maximum over 64 connections, so they differ from target to target.',
    'Corrected for coordinated omission: calls leave on a schedule, and a call that could not leave in time counts its wait.',
    'Counted after three seconds of the same load: while the others had their turn a target idled, and serves half as much for a second; what waits then would count to the end of a round.',
    'The schedule has steps of 0.25 ms; calls that fall due within one step leave together.',
  ],
  async run({ pace, packhost, peers, progress }) {
    const recording = new Recording();
    await withPack([{ handler: 'echo' }], (pack) =>
      withRunning([packhost(flags), ...peers([floorName, 'fastify', piscinaName])], pack, 'echo', (running) =>
        withGenerator(async (generator) => {
          const rated: Rated[] = [];
          for (const target of running) rated.push(await rate(target, generator, pace));
          for (let round = 0; round < pace.rounds; round++) {
            for (const share of shares) {
              progress(`round ${round + 1} of ${pace.rounds}, ${share} % of the maximum`);
              for (const { target, call, maximum } of rotated(rated, round)) {
                const rate = (maximum * share) / 100;
                const report = await openRound(generator, call, { connections, callsPerSecond: rate, warmMs: pace.firstWarmMs, durationMs: pace.roundMs });
                recording.add(target.name, { 'of maximum': `${share} %` }, figures(rate, clean(report, target.name)));
              }
            }
          }
        })));
    return recording.measurements();
  },
};
