import { withGenerator } from '../load/generator.js';
import { clean, closedRound, probeRound, throughputFigures } from '../load/rounds.js';
import { Recording } from '../measurement.js';
import { toolId, withPack } from '../packs/write-pack.js';
import type { Scenario } from '../scenario.js';
import { proveCall, proveHealth } from '../targets/calibrate.js';
import { withOne } from '../targets/target.js';

const sizes = [1, 16, 128, 1024, 8 * 1024];
const connections = 4;

const sizeLabel = (kibibytes: number): string => (kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`);

export const payload: Scenario = {
  name: 'payload',
  title: 'Bodies of 1 KiB to 8 MiB, in and out',
  metrics: [
    { name: 'callsPerSecond', label: 'calls/s', digits: 1 },
    { name: 'mebibytesPerSecond', label: 'MiB/s', digits: 1 },
    { name: 'cpuMicrosecondsPerCall', label: 'CPU µs/call', digits: 0 },
    { name: 'holdMs', label: 'longest hold ms', digits: 1 },
  ],
  flags: [],
  notes: [
    `${connections} connections. "in" sends the size and gets a few bytes back, "out" the other way round.`,
    'The hold of the main thread is seen from outside: the slowest answer to GET /healthz, asked every 2 ms on a connection of its own, less the median without load. It holds the wait for a core too; the row "none" is the same without load.',
  ],
  async run({ options, pace, packhost, progress }) {
    const recording = new Recording();
    const length = { warmMs: pace.warmMs, durationMs: pace.roundMs };
    const measuredSizes = options.quick ? [1, 1024, 8 * 1024] : sizes;
    await withPack([{ handler: 'payload' }], (pack) =>
      withOne(packhost(), pack, 'payload', (target) =>
        withGenerator((generator) =>
          withGenerator(async (prober) => {
            const health = await proveHealth(target);
            for (let round = 0; round < pace.rounds; round++) {
              const unloaded = clean(await probeRound(prober, health, length), 'healthz').latencyMs;
              recording.add(target.name, { direction: 'none', size: '-' }, { holdMs: unloaded.max - unloaded.p50 });
              for (const direction of ['in', 'out'] as const) {
                for (const kibibytes of measuredSizes) {
                  const label = `${sizeLabel(kibibytes)} ${direction}`;
                  progress(`round ${round + 1} of ${pace.rounds}, ${label}`);
                  const [received, sent] = direction === 'in' ? [kibibytes * 1024, 1] : [1, kibibytes * 1024];
                  const call = await proveCall(target, toolId('payload'), { text: 'x'.repeat(received), answerBytes: sent }, { received, text: 'x'.repeat(sent) });
                  const [load, probed] = await Promise.all([
                    closedRound(generator, call, { connections, pid: target.server.pid, ...length }),
                    probeRound(prober, health, length),
                  ]);
                  recording.add(target.name, { direction, size: sizeLabel(kibibytes) }, {
                    ...throughputFigures(clean(load, label)),
                    mebibytesPerSecond: (load.answers * kibibytes) / 1024 / load.seconds,
                    holdMs: clean(probed, 'healthz').latencyMs.max - unloaded.p50,
                  });
                }
              }
            }
          }))));
    return recording.measurements();
  },
};
