import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { deadline, failure, farDeadline } from './calls.js';

t.test('while every thread spins and bodies of eight megabytes arrive, healthz answers in under 100 ms (kyma-project/kyma#15541)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '2', '--max-threads', '2', '--max-queue', '64', '--grace', '100'] });
  const folder = temporaryFolder(t);
  const started = ['one', 'two'].map((name) => join(folder, name));
  const spinning = started.map((file) => service.invoke(toolCall('spin', { started: file }), deadline(6000)));
  await until(() => started.every((file) => existsSync(file)), 'both loops');

  const text = 'x'.repeat(8 * 1024 * 1024);
  const body = Buffer.from(JSON.stringify(toolCall('thread', { text })));
  const answers: Promise<unknown>[] = [];
  const probe = new Worker(new URL('./healthz-probe.js', import.meta.url), { workerData: { port: service.port, probes: 100, everyMs: 20 } });
  const probed = once(probe, 'message') as Promise<[readonly number[]]>;
  for (let sent = 0; sent < 12; sent++) {
    answers.push(service.invoke(body, farDeadline));
    await sleep(150);
  }
  const [took] = await probed;
  t.ok((took[98] ?? Infinity) < 100, `healthz: median ${Math.round(took[50] ?? 0)} ms, p99 ${Math.round(took[98] ?? 0)} ms`);
  for (const answer of await Promise.all(spinning)) failure(answer, 'deadline-exceeded');
  await Promise.all(answers);
  t.match(outputOf(await service.invoke(body, farDeadline)), { threadId: Number }, 'a body of that size is an ordinary call');
});
