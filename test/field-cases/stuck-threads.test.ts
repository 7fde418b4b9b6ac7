import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall, until } from '../running-service.js';
import { deadline, failure, farDeadline } from './calls.js';

t.test('ten seconds of pbkdf2Sync do not hold up the answer at 200 ms, nor the end of the service (tinylibs/tinypool#49)', async (t) => {
  const service = await serve(t, { pack: 'blocks-in-native-code', args: ['--min-threads', '1', '--max-threads', '1', '--grace', '100', '--drain-timeout', '1000'] });
  const answer = await service.invoke(toolCall('hash', { seconds: 10 }), deadline(200));
  failure(answer, 'deadline-exceeded');
  t.ok(answer.elapsedMs < 2000, `answered after ${Math.round(answer.elapsedMs)} ms`);
  t.strictSame(outputOf(await service.invoke(toolCall('echo', { next: true }), farDeadline)), { next: true });
  service.child.kill('SIGTERM');
  await until(() => service.ended, 'the end, with a thread that cannot be stopped', 8000);
  t.ok(service.record('stopped'));
});
