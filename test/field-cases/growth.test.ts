import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { outputOf } from '../answers.js';
import { linesOf } from '../calls-in-flight.js';
import { type RunningService, checkCall, fixturePack, packhostCommand, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { farDeadline } from './calls.js';

/**
 * Thirty thousand calls after a warm-up of six thousand, not the hundred thousand of the reports: heaps are
 * measured after a full collection, so a leak of seventy bytes a call, less than one listener or one closure,
 * already shows as the two megabytes that are allowed.
 */
const warmUp = 6000;
const measured = 30_000;
const allowedHeapGrowth = 2 * 1024 * 1024;

interface Memory {
  readonly heapUsed: number;
  readonly code: number;
  readonly listeners: number;
}

const folder = temporaryFolder(t);
const report = join(folder, 'main-thread');
const [node, ...main] = packhostCommand;
const service = await serve(t, {
  pack: 'reports-its-memory',
  command: [node, '--import', join(fixturePack('reports-its-memory'), 'report-main-thread.mjs'), ...main],
  args: ['--min-threads', '1', '--max-threads', '1', '--max-concurrency', '64', '--max-queue', '64', '--log-level', 'error'],
  env: { MEMORY_REPORT: report },
});

async function ofMainThread(of: RunningService): Promise<Memory> {
  const before = linesOf(report).length;
  of.child.kill('SIGUSR2');
  return JSON.parse(await until(() => linesOf(report)[before], 'the report of the main thread')) as Memory;
}
const ofWorker = async (of: RunningService) => outputOf(await of.invoke(toolCall('memory'), farDeadline)) as unknown as Memory & { threadId: number };
const residentMB = (of: RunningService) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Calls of every outcome that leaves the thread alive, on connections that are kept and, now and then, on one of their own. */
async function calls(of: RunningService, count: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  let next = 0;
  const expected = ['result', 'result', 'result', 'result', 'check-result', 'result', 'error', 'error'];
  const message = (number: number): unknown => {
    switch (number % 8) {
      case 4: return checkCall('polite', { least: 1 });
      case 6: return toolCall('greet', { name: '' });
      case 7: return toolCall('nobody');
      default: return toolCall('greet', { name: `caller ${number}` });
    }
  };
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < count) {
      const number = next++;
      const answer = await of.invoke(message(number), farDeadline, number % 100 === 0 ? {} : { agent });
      if (answer.body?.kind !== expected[number % 8]) throw new Error(`call ${number}: ${answer.status} ${answer.text}`);
    }
  }));
  agent.destroy();
}

await calls(service, warmUp);
const before = { main: await ofMainThread(service), worker: await ofWorker(service), rss: residentMB(service) };
await calls(service, measured);
const after = { main: await ofMainThread(service), worker: await ofWorker(service), rss: residentMB(service) };
t.comment(JSON.stringify({ before, after }));

t.test('the schemas of the pack are compiled once, however many calls they judge (ajv-validator/ajv#2557)', async (t) => {
  t.equal(after.worker.threadId, before.worker.threadId, 'one thread served them all');
  t.ok(after.worker.code - before.worker.code < 256 * 1024, `compiled code grew by ${after.worker.code - before.worker.code} bytes`);
  t.ok(after.worker.heapUsed - before.worker.heapUsed < allowedHeapGrowth, `the worker's heap grew by ${after.worker.heapUsed - before.worker.heapUsed} bytes`);
});

t.test('neither listeners nor heap grow with the number of calls (nodejs/node#55351)', async (t) => {
  t.equal(after.main.listeners, before.main.listeners, 'listeners on the process, main thread');
  t.equal(after.worker.listeners, before.worker.listeners, 'listeners on the process, worker');
  const grown = after.main.heapUsed - before.main.heapUsed;
  t.ok(grown < allowedHeapGrowth, `the main thread's heap grew by ${grown} bytes`);
  t.ok(after.rss - before.rss < 100, `the process grew by ${Math.round(after.rss - before.rss)} MB`);
  t.strictSame(service.stderr.filter((line) => line.includes('MaxListenersExceededWarning')), []);
});
