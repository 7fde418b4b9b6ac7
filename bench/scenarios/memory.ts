import { setTimeout as sleep } from 'node:timers/promises';
import { withGenerator } from '../load/generator.js';
import { clean, closedRound } from '../load/rounds.js';
import { residentMiB, threadCount } from '../measure/process-usage.js';
import { Recording } from '../measurement.js';
import { type Pack, toolId, withPack } from '../packs/write-pack.js';
import type { Scenario } from '../scenario.js';
import { proveCall } from '../targets/calibrate.js';
import { floorName } from '../targets/peers.js';
import { type RunningTarget, type Target, withOne } from '../targets/target.js';

const few = 2;
const many = 8;
const flags = (threads: number): string[] => ['--min-threads', String(threads), '--max-threads', String(threads)];
const message = { text: 'hello from the benchmark' };

/** Resident size once a fresh process has answered and come to rest. */
async function idle(target: RunningTarget, settleMs: number): Promise<number> {
  await proveCall(target, toolId('echo'), message, message);
  await sleep(settleMs);
  return residentMiB(target.server.pid);
}

/** Resident size at rest after at least so many calls. */
async function afterCalls(target: RunningTarget, calls: number, settleMs: number): Promise<number> {
  const call = await proveCall(target, toolId('echo'), message, message);
  await withGenerator(async (generator) => {
    for (let made = 0; made < calls; ) {
      const report = await closedRound(generator, call, { connections: 16, pid: target.server.pid, warmMs: 0, durationMs: 1000 });
      made += clean(report, target.name).answers;
    }
  });
  await sleep(settleMs);
  return residentMiB(target.server.pid);
}

export const memory: Scenario = {
  name: 'memory',
  title: 'Resident size: idle, per further thread, after many calls',
  metrics: [
    { name: 'residentMiB', label: 'resident MiB', digits: 1 },
    { name: 'threads', label: 'threads', digits: 0 },
  ],
  flags: [`--min-threads N --max-threads N, N being ${few} or ${many}`],
  notes: ['Threads are all of the process, with Node.js\'s own. The rows "after" are the same processes as the idle ones, later.'],
  async run({ options, pace, packhost, peers, progress }) {
    const recording = new Recording();
    const calls = options.quick ? 2000 : 100_000;
    const rounds = options.quick ? 1 : pace.rounds;
    const settleMs = options.quick ? 300 : 2000;
    const round = async (target: Target, threads: string, pack: Pack, further?: (idleMiB: number, running: RunningTarget) => Promise<void>): Promise<number> =>
      withOne(target, pack, 'echo', async (running) => {
        const idleMiB = await idle(running, settleMs);
        recording.add(target.name, { state: `idle, ${threads}` }, { residentMiB: idleMiB, threads: threadCount(running.server.pid) });
        await further?.(idleMiB, running);
        return idleMiB;
      });
    const callMany = async (_idleMiB: number, running: RunningTarget): Promise<void> => {
      const residentMiB = await afterCalls(running, calls, settleMs);
      recording.add(running.name, { state: `after ${calls.toLocaleString('en')} calls` }, { residentMiB, threads: threadCount(running.server.pid) });
    };
    await withPack([{ handler: 'echo' }], async (pack) => {
      for (let turn = 0; turn < rounds; turn++) {
        progress(`round ${turn + 1} of ${rounds}`);
        const small = await round(packhost(flags(few)), `${few} worker threads`, pack, callMany);
        const large = await round(packhost(flags(many)), `${many} worker threads`, pack);
        recording.add('packhost', { state: 'per further worker thread' }, { residentMiB: (large - small) / (many - few) });
        for (const peer of peers([floorName, 'fastify'])) await round(peer, 'one thread', pack, callMany);
      }
    });
    return recording.measurements();
  },
};
