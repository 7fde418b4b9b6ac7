import t from 'tap';
import { outputOf } from '../answers.js';
import { problemNaming } from '../boot-problems.js';
import { hold } from '../calls-in-flight.js';
import { serve } from '../running-service.js';
import { call, faultSwitch, faultyPack, preloadInThreads } from './faulty-pack.js';
import { failures, failuresOf } from './thread-failures.js';

t.test('a thread that cannot start says why, and takes none of the calls that run along', async (t) => {
  const throws = faultSwitch(t);
  const preload = preloadInThreads(t, throws, `throw new Error('no threads today');`);
  const service = await serve(t, { pack: faultyPack(t), args: ['--min-threads', '2', '--max-threads', '3'], env: { NODE_OPTIONS: preload } });
  const running = [hold(t, service), hold(t, service)];
  await Promise.all(running.map((held) => held.running()));
  throws.turnOn();
  const waiting = call(service, 'echo', { waited: true });
  await failures(service, 2);
  for (const { problems } of failuresOf(service)) problemNaming(t, problems, 'no threads today');
  throws.turnOff();
  t.strictSame(outputOf(await waiting), { waited: true }, 'a third thread came');
  for (const held of running) held.release();
  for (const held of running) t.strictSame(outputOf(await held.answer), { released: true });
  t.equal(service.record('thread-ended'), undefined, 'no thread was lost');
});
