import http from 'node:http';
import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { farDeadline } from './calls.js';

t.test('with --max-calls-per-worker a thread is replaced after that many calls, and no call is lost over it (simstudioai/sim#4108)', async (t) => {
  const most = 5;
  const calls = 60;
  const service = await serve(t, {
    pack: 'waits-as-told',
    args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '64', '--max-queue', '64', '--max-calls-per-worker', String(most)],
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  t.teardown(() => agent.destroy());
  const served = new Map<number, number>();
  for (const answer of await Promise.all(Array.from({ length: calls }, () => service.invoke(toolCall('thread'), farDeadline, { agent })))) {
    const { threadId } = outputOf(answer) as { threadId: number };
    served.set(threadId, (served.get(threadId) ?? 0) + 1);
  }
  t.equal([...served.values()].reduce((sum, count) => sum + count, 0), calls, 'every call answered its result');
  t.ok(Math.max(...served.values()) <= most, `calls a thread: ${[...served.values()].join(', ')}`);
});
