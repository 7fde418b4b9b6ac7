import { join } from 'node:path';
import t from 'tap';
import { failsWith, outputOf, turnedAway } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { serve, toolCall } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const service = await serve(t, { pack: 'waits-for-files', args: ['--min-threads', '2'], env: { KINDGI_PACK_SERVICE_MAX_CONCURRENCY: '2' } });

t.test('over the concurrency cap a call is turned away and does not run; a finished one makes room', async (t) => {
  const log = join(temporaryFolder(t), 'log');
  const [first, second] = [hold(t, service), hold(t, service)];
  await Promise.all([first.running(), second.running()]);
  for (let refused = 0; refused < 3; refused += 1) turnedAway(t, await service.invoke(toolCall('touch', { log })), 'overloaded');
  first.release();
  t.same(outputOf(await first.answer), { released: true });
  t.same(outputOf(await service.invoke(toolCall('touch', { log, text: 'after' }))), { touched: true });
  second.release();
  t.same(outputOf(await second.answer), { released: true });
  t.strictSame(linesOf(log), ['after']);
});

t.test('at the cap the service stays ready, and answers all that is no call', async (t) => {
  const held = [hold(t, service), hold(t, service)];
  await Promise.all(held.map((call) => call.running()));
  t.equal((await service.get('/readyz', { token: null })).status, 200);
  t.equal((await service.get('/healthz', { token: null })).status, 200);
  t.equal((await service.get('/v1/info')).status, 200);
  t.equal((await service.invoke(toolCall('touch'), {}, { token: 'wrong' })).status, 401);
  t.equal((await service.get('/nowhere')).status, 404);
  for (const call of held) call.release();
  await Promise.all(held.map((call) => call.answer));
});

t.test('a call that fails gives its place back like one that succeeds', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    failsWith(t, await service.invoke('{ nope'), 'malformed-message');
    failsWith(t, await service.invoke(toolCall('nowhere')), 'tool-not-in-pack');
    failsWith(t, await service.invoke(toolCall('touch', 'no object')), 'input-validation-failed');
    failsWith(t, await service.invoke(toolCall('touch', { log: '/nowhere/at/all' })), 'handler-throw');
    failsWith(t, await hold(t, service, { headers: { 'kindgi-timeout-ms': '50' } }).answer, 'deadline-exceeded');
    t.equal((await service.request('POST', '/v1/invoke', { body: 'x' })).status, 415);
    t.equal((await service.invoke('{}', {}, { token: 'wrong' })).status, 401);
  }
  const held = [hold(t, service), hold(t, service)];
  await Promise.all(held.map((call) => call.running()));
  for (const call of held) call.release();
  for (const call of held) t.same(outputOf(await call.answer), { released: true }, 'both places are free');
});

t.test('more calls than may wait for a thread are turned away', async (t) => {
  const narrow = await serve(t, { pack: 'waits-for-files', args: ['--min-threads', '1', '--max-threads', '1', '--max-queue', '2'] });
  const held = hold(t, narrow);
  await held.running();
  const more = Array.from({ length: 8 }, () => narrow.invoke(toolCall('touch'), { 'kindgi-timeout-ms': '25000' }));
  const turned = await Promise.race(more);
  turnedAway(t, turned, 'overloaded');
  t.equal((await narrow.get('/readyz')).status, 200);
  held.release();
  const statuses = (await Promise.all(more)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 200).length, 2, 'two waited and were served');
  t.equal(statuses.filter((status) => status === 503).length, 6);
});
