import t from 'tap';
import { errorOf, failsWith, outputOf } from '../answers.js';
import { ids, serve, toolCall } from '../running-service.js';

t.test('the level holds for calls and for what handlers log, and never for the life of the service', async (t) => {
  const service = await serve(t, { pack: 'prints-and-logs', args: ['--log-level', 'error'] });
  outputOf(await service.invoke(toolCall('log')));
  failsWith(t, await service.invoke(toolCall('fail')), 'handler-throw');
  t.equal((await service.stop()).code, 0);
  t.strictSame(service.records.flatMap(({ kind }) => (kind === undefined || kind === 'env-dropped' ? [] : kind)), ['listening', 'draining', 'stopped']);
  const logged = service.records.filter((record) => record['subsystem'] === 'pack.tool');
  t.strictSame(logged.map(({ level }) => level), ['error', 'fatal']);
});

t.test('every answered call is in the records, though the service is killed the moment after', async (t) => {
  const service = await serve(t, { pack: 'prints-and-logs', args: ['--max-concurrency', '200'] });
  const calls = Array.from({ length: 200 }, (_, call) => `call-${call}`);
  const answers = await Promise.all(calls.map((requestId) => service.invoke(toolCall('fail', {}, { ctx: { ...ids, requestId } }))));
  await service.stop('SIGKILL');
  for (const answer of answers) errorOf(answer);
  const recorded = service.records.flatMap((record) => (record.kind === 'call' ? [record['requestId']] : []));
  t.strictSame(recorded.sort(), calls.sort(), 'each once');
});
