import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// Probes healthz from a thread of its own: how long an answer took is then not how busy the test was.
const { port, probes, everyMs } = workerData as { port: number; probes: number; everyMs: number };

const probe = () =>
  new Promise<number>((resolve, reject) => {
    const askedAt = performance.now();
    http
      .get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
        response.resume().once('end', () => resolve(performance.now() - askedAt));
      })
      .once('error', reject);
  });

const took: number[] = [];
for (let asked = 0; asked < probes; asked++) {
  took.push(await probe());
  await sleep(everyMs);
}
parentPort?.postMessage(took.sort((a, b) => a - b));
