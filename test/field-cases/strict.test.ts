import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { failure, farDeadline } from './calls.js';

const service = await serve(t, {
  pack: 'keeps-state',
  args: ['--min-threads', '1', '--max-threads', '2', '--max-concurrency', '16', '--max-queue', '16'],
  env: { FROM_THE_START: 'as given' },
});
const fresh = { module: 1, global: 1, symbol: 1, prototype: 1, process: 1, required: 1, again: 1 };

t.test('under strict no call finds what another left in modules, globals, symbols or prototypes (temporalio/sdk-typescript#1355)', async (t) => {
  const threads = new Set<number>();
  const see = (answer: Parameters<typeof outputOf>[0]): void => {
    const { threadId, ...counts } = outputOf(answer) as { threadId: number };
    t.strictSame(counts, fresh);
    t.notOk(threads.has(threadId), 'a thread of its own');
    threads.add(threadId);
  };
  for (let call = 0; call < 6; call++) see(await service.invoke(toolCall('state'), farDeadline));
  for (const answer of await Promise.all(Array.from({ length: 8 }, () => service.invoke(toolCall('state'), farDeadline)))) see(answer);
});

t.test('without strict a thread and its modules stay warm from call to call', async (t) => {
  const own = await serve(t, { pack: 'keeps-state', args: ['--min-threads', '1', '--max-threads', '1'] });
  t.match(outputOf(await own.invoke(toolCall('warm'), farDeadline)), { module: 1 });
  t.match(outputOf(await own.invoke(toolCall('warm'), farDeadline)), { module: 2 });
});

t.test('an environment changed in a call is seen by no strict call and by no later thread (nodejs/node#26544)', async (t) => {
  const untouched = { FROM_THE_START: 'as given' };
  for (let call = 0; call < 3; call++) t.strictSame(outputOf(await service.invoke(toolCall('environment'), farDeadline)), untouched);
  outputOf(await service.invoke(toolCall('warm-environment'), farDeadline));
  t.strictSame(outputOf(await service.invoke(toolCall('environment'), farDeadline)), untouched, 'nor what a call that is not strict changed');
  for (let thread = 0; thread < 2; thread++) failure(await service.invoke(toolCall('exit'), farDeadline), 'handler-throw');
  t.strictSame(outputOf(await service.invoke(toolCall('environment'), farDeadline)), untouched, 'nor do threads that are started afterwards');
  t.equal((await service.get('/v1/info')).status, 200, 'the main thread goes on as before');
});
