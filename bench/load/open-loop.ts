import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Connection } from './connection.js';
import type { LoadReport, OpenLoopJob } from './job.js';
import { Tally } from './tally.js';

const settleMs = 15_000;

/** Finest step of the clock; calls that fall due within one step leave together. */
const finestStepMs = 0.25;

/**
 * Sends on a fixed schedule. Latency counts from the moment a call was due, not from when a free
 * connection was found for it: a server that stalls pays for every call it kept waiting, instead
 * of silencing the generator (coordinated omission).
 */
export async function openLoop(job: OpenLoopJob): Promise<LoadReport> {
  const idle = await Connection.openAll(job.connections, job.port, job.request, job.expected);
  const all = [...idle];
  const tally = new Tally(job.pid);
  const gapMs = 1000 / job.callsPerSecond;
  const startedAt = performance.now() + 5;
  const countFrom = startedAt + job.warmMs;
  const endsAt = countFrom + job.durationMs;
  let due = startedAt;
  let inFlight = 0;

  // The longest idle goes first, so that none is idle for so long that the server closes it.
  const longestIdle = (): Connection | undefined => {
    for (let next = idle.shift(); next; next = idle.shift()) if (!next.broken) return next;
    return undefined;
  };
  const send = (connection: Connection, intendedAt: number): void => {
    inFlight++;
    connection.send((verdict) => {
      inFlight--;
      if (intendedAt >= countFrom) tally.count(verdict, performance.now() - intendedAt);
      if (!connection.broken) idle.push(connection);
      sendDue();
    });
  };
  const sendDue = (): void => {
    for (const now = performance.now(); due <= now && due < endsAt; due += gapMs) {
      const connection = longestIdle();
      if (!connection) return;
      send(connection, due);
    }
  };

  const stop = new Int32Array(new SharedArrayBuffer(4));
  const pacer = new Worker(new URL('./pacer.js', import.meta.url), { workerData: { stop, intervalMs: Math.max(finestStepMs, Math.min(gapMs / 4, 1)) } });
  pacer.on('message', sendDue);
  await sleep(countFrom - performance.now());
  tally.open();
  await sleep(endsAt - performance.now());
  tally.close();
  const lastWait = performance.now() + settleMs;
  while ((inFlight > 0 || due < endsAt) && performance.now() < lastWait && !all.every(({ broken }) => broken)) await sleep(2);
  Atomics.store(stop, 0, 1);
  Atomics.notify(stop, 0);
  await pacer.terminate();
  const unsent = Math.max(0, Math.ceil((endsAt - due) / gapMs));
  for (let missing = inFlight + unsent; missing > 0; missing--) tally.count('unanswered', 0);
  for (const connection of all) connection.close();
  return tally.report();
}
