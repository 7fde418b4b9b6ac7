import t from 'tap';
import { outputOf } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { serve, toolCall, until } from '../running-service.js';
import { farDeadline } from './calls.js';

t.test('readyz fails first, and for the time of --drain-delay calls are still taken, so that a balancer can notice (fastify/fastify#1714)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '2', '--max-threads', '2', '--drain-delay', '2000', '--drain-timeout', '5000'] });
  outputOf(await service.invoke(toolCall('echo'), farDeadline));
  service.child.kill('SIGTERM');
  await until(async () => (await service.get('/readyz')).status === 503, 'readyz to fail');
  t.match(await service.get('/readyz'), { status: 503, body: { error: 'draining' } });
  t.strictSame(outputOf(await service.invoke(toolCall('echo', { still: 'taken' }), farDeadline)), { still: 'taken' });
  const held = hold(t, service);
  await held.running();
  const refused = await until(async () => {
    const answer = await service.invoke(toolCall('echo'), farDeadline);
    return answer.status === 200 ? undefined : answer;
  }, 'the delay to pass');
  t.match(refused, { status: 503, headers: { 'retry-after': /^\d+$/ }, body: { error: 'draining' } });
  held.release();
  t.strictSame(outputOf(await held.answer), { released: true }, 'what was taken in the delay is answered');
  t.strictSame(await until(() => service.ended, 'the exit'), { code: 0, signal: null });
});
