import { availableParallelism } from 'node:os';
import { withGenerator } from '../load/generator.js';
import { clean, closedRound, throughputFigures } from '../load/rounds.js';
import { Recording } from '../measurement.js';
import { handler } from '../packs/handlers/burner.js';
import { toolId, withPack } from '../packs/write-pack.js';
import { rotated, type Scenario } from '../scenario.js';
import { proveCall } from '../targets/calibrate.js';
import { inProcessName, piscinaName } from '../targets/peers.js';
import { withRunning } from '../targets/target.js';

const handlerTimes = [5, 50];
const connections = 8;
const inProcess = 'node:http + JSON';

export const cpuBound: Scenario = {
  name: 'cpu-bound',
  title: 'Handlers that compute: calls per second against the cores',
  metrics: [
    { name: 'callsPerSecond', label: 'calls/s', digits: 1, ratio: true },
    { name: 'coresPercent', label: '% of the cores', digits: 0 },
    { name: 'p50Ms', label: 'p50 ms', digits: 1 },
  ],
  floor: inProcess,
  flags: [],
  notes: [
    `${connections} connections. A handler's work is a fixed number of turns, which takes 5 or 50 ms on an idle core of this machine.`,
    '100 % of the cores would be every core doing nothing but handlers. The floor here is node:http with the handler in its one thread; it can use one core.',
  ],
  async run({ pace, packhost, peers, progress }) {
    const recording = new Recording();
    const perMillisecond = turnsPerMillisecond();
    await withPack([{ handler: 'burner' }], (pack) =>
      withRunning([packhost(), ...peers([inProcess, 'fastify', piscinaName, inProcessName])], pack, 'burner', (running) =>
        withGenerator(async (generator) => {
          for (let round = 0; round < pace.rounds; round++) {
            for (const handlerMs of handlerTimes) {
              progress(`round ${round + 1} of ${pace.rounds}, ${handlerMs} ms`);
              const iterations = handlerMs * perMillisecond;
              for (const target of rotated(running, round)) {
                const call = await proveCall(target, toolId('burner'), { iterations }, handler({ iterations }));
                const warmMs = Math.max(pace.warmMs, 4 * handlerMs);
                const report = clean(await closedRound(generator, call, { connections, pid: target.server.pid, warmMs, durationMs: pace.roundMs }), target.name);
                const { callsPerSecond = 0 } = throughputFigures(report);
                const coresPercent = ((callsPerSecond * handlerMs) / 1000 / availableParallelism()) * 100;
                recording.add(target.name, { 'handler ms': handlerMs }, { callsPerSecond, coresPercent, p50Ms: report.latencyMs.p50 });
              }
            }
          }
        })));
    return recording.measurements();
  },
};

/** How many turns of the burner take one millisecond of CPU on this machine, when nothing else runs. */
function turnsPerMillisecond(): number {
  const turns = 5_000_000;
  let best = Infinity;
  for (let attempt = 0; attempt < 20; attempt++) {
    const startedAt = performance.now();
    handler({ iterations: turns });
    // The fastest attempt is the one that was disturbed least.
    best = Math.min(best, performance.now() - startedAt);
  }
  return Math.round(turns / best);
}
