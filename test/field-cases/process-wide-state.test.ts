import { readFileSync, readlinkSync } from 'node:fs';
import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { failure, farDeadline } from './calls.js';

t.test('a handler that tries to change what the whole process shares is handler-throw, and nothing is changed (nodejs/node#41673)', async (t) => {
  const service = await serve(t, { pack: 'changes-the-process', args: ['--min-threads', '1', '--max-threads', '1'] });
  const shared = () => ({
    folder: readlinkSync(`/proc/${service.pid}/cwd`),
    status: readFileSync(`/proc/${service.pid}/status`, 'utf8').split('\n').filter((line) => /^(Umask|Uid|Gid|Groups):/.test(line)),
  });
  const before = shared();
  for (const what of ['abort', 'chdir', 'umask', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups']) {
    failure(await service.invoke(toolCall('change', { what }), farDeadline), 'handler-throw');
    t.strictSame(outputOf(await service.invoke(toolCall('echo', { after: what }), farDeadline)), { after: what });
  }
  t.strictSame(shared(), before);
  t.equal(service.ended, undefined);
});
