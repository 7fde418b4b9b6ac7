import t from 'tap';
import { outputOf, turnedAway } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { hold } from '../calls-in-flight.js';
import { failure } from '../field-cases/calls.js';
import { cannotLimit, freeThreads, limitedPackhost, limitThreads } from '../limited-process.js';
import { serve, until } from '../running-service.js';
import { call, faultyPack } from './faulty-pack.js';
import { failures, failuresOf } from './thread-failures.js';

const skip = cannotLimit;

t.test('a thread that the system refuses costs no call, and comes once the system allows it', { skip }, async (t) => {
  const service = await serve(t, { pack: faultyPack(t), command: limitedPackhost(), args: ['--min-threads', '1', '--max-threads', '2'] });
  const running = hold(t, service);
  await running.running();
  limitThreads(service.pid);
  const waiting = call(service, 'echo', { waited: true });
  const [first, second] = await failures(service, 2);
  for (const { problems } of failuresOf(service)) problemNaming(t, problems, 'EAGAIN');
  t.ok(first && second && second.retryInMs > first.retryInMs, 'the second try comes later than the first');
  t.equal((await service.get('/readyz')).status, 200, 'the thread that is there serves');
  running.release();
  t.strictSame(outputOf(await running.answer), { released: true });
  t.strictSame(outputOf(await waiting), { waited: true });

  freeThreads(service.pid);
  const beside = [hold(t, service), hold(t, service)];
  await Promise.all(beside.map((call) => call.running()));
  for (const call of beside) call.release();
  for (const call of beside) t.strictSame(outputOf(await call.answer), { released: true });
});

t.test('with its last thread lost and none to be had, the service refuses calls until it gets one', { skip }, async (t) => {
  const service = await serve(t, { pack: faultyPack(t), command: limitedPackhost(), args: ['--min-threads', '1', '--max-threads', '2'] });
  limitThreads(service.pid);
  failure(await call(service, 'exit'), 'handler-throw');
  for (const { problems } of await failures(service, 1)) problemNaming(t, problems, 'EAGAIN');
  turnedAway(t, await call(service, 'echo'), 'not ready');
  t.equal((await service.get('/healthz')).status, 200);
  freeThreads(service.pid);
  await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready again');
  t.strictSame(outputOf(await call(service, 'echo', { again: true })), { again: true });
});

t.test('a boot without a thread to be had says once what it tried', { skip }, async (t) => {
  const problems = await problemsOf(t, 'boot-failed', {
    pack: faultyPack(t), command: limitedPackhost(0), args: ['--min-threads', '4', '--max-threads', '4'],
  });
  t.equal(problems.length, 1);
  t.match(problemNaming(t, problems, 'EAGAIN'), /thread/i);
});
