import { withGenerator } from '../load/generator.js';
import { clean, closedRound, throughputFigures } from '../load/rounds.js';
import { threadCount } from '../measure/process-usage.js';
import { Recording } from '../measurement.js';
import { toolId, withPack } from '../packs/write-pack.js';
import { rotated, type Scenario } from '../scenario.js';
import { proveCall } from '../targets/calibrate.js';
import { floorName, peers as allPeers } from '../targets/peers.js';
import { withRunning } from '../targets/target.js';

const allConnections = [1, 16, 64, 256];
const quickConnections = [1, 16];
const flags = ['--max-concurrency', '512'];
const message = { text: 'hello from the benchmark' };

export const throughput: Scenario = {
  name: 'throughput',
  title: 'Echo as fast as it answers: calls per second and CPU time per call',
  metrics: [
    { name: 'callsPerSecond', label: 'calls/s', digits: 0, ratio: true },
    { name: 'cpuMicrosecondsPerCall', label: 'CPU µs/call', digits: 1, ratio: true },
    { name: 'threads', label: 'threads', digits: 0 },
    { name: 'generatorCores', label: 'generator cores', digits: 2 },
  ],
  floor: floorName,
  flags,
  notes: [
    'CPU per call is user and system time of the whole process with all its threads, divided by the answers. Threads are all of the process, with Node.js\'s own, at the end of a round.',
    'The load generator is a process on the same cores; "generator cores" is how much of them it took. Near 1 it was the bottleneck.',
    'packhost and Piscina validate the input and the output of the echo, fastify by schema as well; the other peers validate nothing.',
  ],
  async run({ options, pace, packhost, peers, progress }) {
    const connectionCounts = options.quick ? quickConnections : allConnections;
    const recording = new Recording();
    const targets = [packhost(flags), ...peers(allPeers.map(({ name }) => name))];
    await withPack([{ handler: 'echo' }], (pack) =>
      withRunning(targets, pack, 'echo', (running) =>
        withGenerator(async (generator) => {
          const proven = await Promise.all(running.map(async (target) => ({ target, call: await proveCall(target, toolId('echo'), message, message) })));
          for (const { target, call } of proven) {
            progress(`warming ${target.name}`);
            await closedRound(generator, call, { connections: 16, pid: target.server.pid, warmMs: 0, durationMs: pace.firstWarmMs });
          }
          // From few connections to many, each with all its rounds: threads that many calls brought must not serve few.
          for (const connections of connectionCounts) {
            for (let round = 0; round < pace.rounds; round++) {
              progress(`${connections} connections, round ${round + 1} of ${pace.rounds}`);
              for (const { target, call } of rotated(proven, round)) {
                const report = await closedRound(generator, call, { connections, pid: target.server.pid, warmMs: pace.warmMs, durationMs: pace.roundMs });
                recording.add(target.name, { connections }, { ...throughputFigures(clean(report, target.name)), threads: threadCount(target.server.pid) });
              }
            }
          }
        })));
    return recording.measurements();
  },
};
