import { oneCall } from '../load/one-call.js';
import { Recording } from '../measurement.js';
import { toolId, withPack } from '../packs/write-pack.js';
import type { Scenario } from '../scenario.js';
import { type RunningTarget, withOne } from '../targets/target.js';

const threads = 2;
const flags = ['--min-threads', String(threads)];
const deadlineMs = 500;
// Longer than a thread takes to come back, so that one thread cannot start both calls in time.
const holdMs = 4000;

/** A call that never ends by itself: how long after its deadline the answer came. */
async function overrun(target: RunningTarget): Promise<number> {
  const { body, elapsedMs } = await oneCall(target.server.port, target.call(toolId('spinner'), {}, deadlineMs));
  const { code } = JSON.parse(body.toString('utf8')) as { code?: unknown };
  if (code !== 'deadline-exceeded') throw new Error(`a call past its deadline answered ${body.toString('utf8')}`);
  return elapsedMs - deadlineMs;
}

/** When a call got a thread of its own. */
async function startedAt(target: RunningTarget): Promise<number> {
  const { body } = await oneCall(target.server.port, target.call(toolId('starter'), { holdMs }));
  const { output } = JSON.parse(body.toString('utf8')) as { output: { startedAt: number } };
  return output.startedAt;
}

export const kill: Scenario = {
  name: 'kill',
  title: 'A handler that never ends: deadline to answer, deadline to full capacity',
  metrics: [
    { name: 'answerMs', label: 'deadline to answer ms', digits: 1 },
    { name: 'capacityMs', label: 'deadline to full capacity ms', digits: 0 },
  ],
  flags,
  notes: [
    'Every worker thread spins past a deadline of 500 ms at once. Full capacity is back when as many new calls as there were threads have all started.',
    'The threads that spin are lost a second later, at the end of their grace; those that take their place start at the deadline.',
  ],
  async run({ options, packhost, progress }) {
    const recording = new Recording();
    const rounds = options.quick ? 1 : 15;
    await withPack([{ handler: 'spinner' }, { handler: 'starter' }], (pack) =>
      withOne(packhost(flags), pack, 'spinner', async (target) => {
        // A process's first call pays for compiling what it runs through, which startup measures.
        await oneCall(target.server.port, target.call(toolId('starter'), { holdMs: 0 }));
        const atOnce = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: threads }, work));
        for (let round = 0; round < rounds; round++) {
          progress(`round ${round + 1} of ${rounds}`);
          const deadlineAt = Date.now() + deadlineMs;
          const answered = await atOnce(() => overrun(target));
          const started = await atOnce(() => startedAt(target));
          recording.add(target.name, { threads }, { answerMs: Math.max(...answered), capacityMs: Math.max(...started) - deadlineAt });
        }
      }));
    return recording.measurements();
  },
};
