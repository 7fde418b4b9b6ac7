import http from 'node:http';
import t from 'tap';
import { outputOf } from '../answers.js';
import { problemNaming } from '../boot-problems.js';
import { hold } from '../calls-in-flight.js';
import { farDeadline } from '../field-cases/calls.js';
import { cannotLimit, freeFiles, limitedPackhost, limitFiles } from '../limited-process.js';
import { type HttpAnswer, serve, toolCall } from '../running-service.js';
import { faultyPack } from './faulty-pack.js';
import { failures, failuresOf } from './thread-failures.js';

t.test('without a free file descriptor the threads there are serve on, and more come once there is one', { skip: cannotLimit }, async (t) => {
  const service = await serve(t, { pack: faultyPack(t), command: limitedPackhost(), args: ['--min-threads', '1', '--max-threads', '2'] });
  const agent = new http.Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const echo = (n: number): Promise<HttpAnswer> => {
    const answer = service.invoke(toolCall('echo', { n }), farDeadline, { agent });
    answer.catch(() => {});
    return answer;
  };
  // The connections of the calls below: no other can be opened then.
  await Promise.all([echo(1), echo(2), echo(3)]);
  const running = hold(t, service, { request: { agent } });
  await running.running();

  limitFiles(service.pid);
  const waiting = echo(4);
  await failures(service, 2);
  for (const { problems } of failuresOf(service)) problemNaming(t, problems, 'EMFILE');
  t.equal((await service.get('/healthz', { agent })).status, 200);
  running.release();
  t.strictSame(outputOf(await running.answer), { released: true });
  t.strictSame(outputOf(await waiting), { n: 4 });

  freeFiles(service.pid);
  const beside = [hold(t, service), hold(t, service)];
  await Promise.all(beside.map((held) => held.running()));
  for (const held of beside) held.release();
  for (const held of beside) t.strictSame(outputOf(await held.answer), { released: true });
});
