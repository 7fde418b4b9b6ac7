import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.js';
import type { ClosedLoopJob, LoadReport } from './job.js';
import { Tally } from './tally.js';

/** Longest wait for calls in flight; hanging up on them would make the server cancel them into the next round. */
const settleMs = 15_000;

/** Keeps every connection busy; counts in the middle, when all of them are. */
export async function closedLoop(job: ClosedLoopJob): Promise<LoadReport> {
  const connections = await Connection.openAll(job.connections, job.port, job.request, job.expected);
  const tally = new Tally(job.pid);
  let sending = true;
  const keepBusy = (connection: Connection): Promise<void> =>
    new Promise((resolve) => {
      const next = (): void => {
        if (!sending || connection.broken) return resolve();
        const sentAt = performance.now();
        connection.send((verdict) => {
          tally.answered(verdict, performance.now() - sentAt);
          if (job.pauseMs === undefined) next();
          else setTimeout(next, job.pauseMs);
        });
      };
      next();
    });
  const idle = Promise.all(connections.map(keepBusy));
  await sleep(job.warmMs);
  tally.open();
  await sleep(job.durationMs);
  // On a machine that is busy with something else a short round may see no answer: it lasts until the first.
  for (const lastWait = performance.now() + settleMs; tally.empty && performance.now() < lastWait; ) await sleep(5);
  tally.close();
  sending = false;
  await Promise.race([idle, sleep(settleMs, undefined, { ref: false })]);
  for (const connection of connections) connection.close();
  return tally.report();
}
