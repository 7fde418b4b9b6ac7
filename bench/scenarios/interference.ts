import { setTimeout as sleep } from 'node:timers/promises';
import { withGenerator } from '../load/generator.js';
import { oneCall } from '../load/one-call.js';
import { failureCount, openRound } from '../load/rounds.js';
import { Recording } from '../measurement.js';
import { type PackTool, toolId, withPack } from '../packs/write-pack.js';
import { rotated, type Scenario } from '../scenario.js';
import { proveCall, proveHealth } from '../targets/calibrate.js';
import { type CallRequest, type RunningTarget, withOne } from '../targets/target.js';

const flags = ['--min-threads', '4', '--max-threads', '4'];
const perSecond = 50;
const message = { text: 'hello from the benchmark' };

const tools: PackTool[] = [
  { handler: 'echo' },
  { handler: 'spinner' },
  { handler: 'heap-filler', limits: { memMB: 64, cpuMs: 60_000 } },
  { handler: 'printer' },
];

interface Disturbance {
  readonly name: string;
  readonly call?: (target: RunningTarget) => CallRequest;
  /** How many such calls at a time; 2 when left out. */
  readonly atOnce?: number;
  /** Rest after each call: a killed handler still has its thread for the grace, and fresh calls would take all others. */
  readonly restMs?: number;
}

const disturbances: readonly Disturbance[] = [
  { name: 'nothing' },
  { name: 'one spins 300 ms', call: (target) => target.call(toolId('spinner'), { ms: 300 }), atOnce: 1 },
  { name: 'spin 300 ms', call: (target) => target.call(toolId('spinner'), { ms: 300 }) },
  { name: 'fill the heap', call: (target) => target.call(toolId('heap-filler'), {}, 5000) },
  { name: 'print 2,000 lines', call: (target) => target.call(toolId('printer'), { lines: 2000 }) },
  { name: 'are killed', call: (target) => target.call(toolId('spinner'), {}, 200), restMs: 1500 },
];

/** Makes disturbing calls one after another until told to stop; answers how many came to an end. */
async function disturb(target: RunningTarget, call: CallRequest, restMs: number, running: { on: boolean }): Promise<number> {
  let ended = 0;
  for (; running.on && !target.server.ended; ended++) {
    await oneCall(target.server.port, call).catch(() => undefined);
    if (restMs > 0) await sleep(restMs);
  }
  return ended;
}

export const interference: Scenario = {
  name: 'interference',
  title: 'An echo and /healthz at 50 calls a second each, while other handlers misbehave',
  metrics: [
    { name: 'echoP50Ms', label: 'echo p50 ms', digits: 1 },
    { name: 'echoP99Ms', label: 'echo p99 ms', digits: 1 },
    { name: 'echoMaxMs', label: 'echo max ms', digits: 0 },
    { name: 'healthP99Ms', label: 'healthz p99 ms', digits: 1 },
    { name: 'healthMaxMs', label: 'healthz max ms', digits: 0 },
    { name: 'failures', label: 'failures', digits: 0 },
    { name: 'disturbances', label: 'disturbances', digits: 0 },
  ],
  flags,
  notes: [
    'Two disturbing calls at a time where no number is named, on 4 worker threads; a call that is killed rests 1.5 s before the next, so that its grace does not take the other threads too. A fresh process for every round.',
    'Failures are echoes and health checks that were not answered, or not rightly. Latency counts from the moment a call was due.',
  ],
  async run({ options, pace, packhost, progress }) {
    const recording = new Recording();
    const length = { warmMs: 500, durationMs: options.quick ? 1000 : 2 * pace.roundMs };
    const rounds = options.quick ? 1 : pace.rounds;
    await withPack(tools, (pack) =>
      withGenerator((echoes) =>
        withGenerator(async (checks) => {
          for (let round = 0; round < rounds; round++) {
            for (const { name, call, atOnce = 2, restMs = 0 } of rotated(disturbances, round)) {
              progress(`round ${round + 1} of ${rounds}, others ${name}`);
              await withOne(packhost(flags), pack, 'echo', async (target) => {
                const [echo, health] = [await proveCall(target, toolId('echo'), message, message), await proveHealth(target)];
                const running = { on: true };
                const disturbers = call ? Array.from({ length: atOnce }, () => disturb(target, call(target), restMs, running)) : [];
                const [echoed, checked] = await Promise.all([
                  openRound(echoes, echo, { connections: 8, callsPerSecond: perSecond, ...length }),
                  openRound(checks, health, { connections: 8, callsPerSecond: perSecond, ...length }),
                ]);
                running.on = false;
                const ended = await Promise.all(disturbers);
                recording.add(target.name, { others: name }, {
                  echoP50Ms: echoed.latencyMs.p50, echoP99Ms: echoed.latencyMs.p99, echoMaxMs: echoed.latencyMs.max,
                  healthP99Ms: checked.latencyMs.p99, healthMaxMs: checked.latencyMs.max,
                  failures: failureCount(echoed) + failureCount(checked), disturbances: ended.reduce((sum, count) => sum + count, 0),
                });
              });
            }
          }
        })));
    return recording.measurements().sort((a, b) => order(a.parameters['others']) - order(b.parameters['others']));
  },
};

const order = (name: string | number | undefined): number => disturbances.findIndex((disturbance) => disturbance.name === name);
