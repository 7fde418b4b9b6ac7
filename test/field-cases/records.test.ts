import http from 'node:http';
import t from 'tap';
import { serve, toolCall } from '../running-service.js';
import { farDeadline, named } from './calls.js';

t.test('every call that was answered has its record, also when the service is killed right after (pinojs/pino#2054)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '64', '--max-queue', '64'] });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  t.teardown(() => agent.destroy());
  const answered: string[] = [];
  let killed = false;
  await Promise.all(Array.from({ length: 16 }, async (_, caller) => {
    for (let number = 0; !killed; number++) {
      const requestId = `${caller}-${number}`;
      try {
        const answer = await service.invoke(toolCall('echo', {}, named(requestId)), farDeadline, { agent });
        if (answer.status === 200) answered.push(requestId);
      } catch {
        return; // its connection died with the service
      }
      if (answered.length >= 2000) {
        killed = true;
        service.child.kill('SIGKILL');
      }
    }
  }));
  t.match(await service.exited, { signal: 'SIGKILL' });
  const recorded = new Set(service.records.filter((record) => record.kind === 'call').map((record) => record['requestId']));
  t.strictSame(answered.filter((requestId) => !recorded.has(requestId)), [], `all of ${answered.length} answered calls are on record`);
});
