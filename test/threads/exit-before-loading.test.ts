import t from 'tap';
import { outputOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { linesOf } from '../calls-in-flight.js';
import { failure } from '../field-cases/calls.js';
import { serve, until } from '../running-service.js';
import { call, faultSwitch, faultyPack, preloadInThreads } from './faulty-pack.js';
import { failures } from './thread-failures.js';

const oneThread = ['--min-threads', '1', '--max-threads', '1'];

t.test('a boot whose threads exit before they load the pack says so once', async (t) => {
  const exits = faultSwitch(t);
  exits.turnOn();
  const problems = await problemsOf(t, 'boot-failed', {
    pack: faultyPack(t), args: ['--min-threads', '2'], env: { NODE_OPTIONS: preloadInThreads(t, exits, 'process.exit(0);') },
  });
  t.equal(problems.length, 1);
  problemNaming(t, problems, 'thread');
});

t.test('threads that exit before they load the pack are tried ever more rarely, while the service responds', async (t) => {
  const exits = faultSwitch(t);
  const log = `${exits.file}.log`;
  const preload = preloadInThreads(t, exits, `appendFileSync(${JSON.stringify(log)}, 'started\\n'); process.exit(0);`);
  const service = await serve(t, { pack: faultyPack(t), args: oneThread, env: { NODE_OPTIONS: preload } });
  exits.turnOn();
  failure(await call(service, 'exit'), 'handler-throw');
  const [first, , third] = await failures(service, 3);
  t.ok(first && third && third.retryInMs > first.retryInMs, 'each try comes later than the one before');
  t.equal((await service.get('/healthz')).status, 200);
  const started = linesOf(log).length;
  const failed = (await failures(service, 3)).length;
  t.ok(started <= failed + 1, `${started} threads were started, and ${failed} are on record`);
  exits.turnOff();
  await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready again');
  t.strictSame(outputOf(await call(service, 'echo', { again: true })), { again: true });
});
