import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall, until } from '../running-service.js';
import { indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';

const callsAtOnce = 20;
const bufferBytes = 20_000;

t.test('while nobody reads stderr, calls, probes and SIGTERM go on, and what found no room is counted once', async (t) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('echo', 'echo.mjs')] }), { 'echo.mjs': 'export const handler = (input) => input;\n' });
  const service = await serve(t, { pack, args: ['--log-buffer', String(bufferBytes)] });
  const { stderr } = service.child;
  stderr?.pause();
  // Far more than a socket or a pipe and the reader's own buffer hold.
  const calls = 4_000;
  for (let called = 0; called < calls; called += callsAtOnce) {
    const answers = await Promise.all(Array.from({ length: callsAtOnce }, (_, n) => service.invoke(toolCall('echo', { n }))));
    t.strictSame(answers.map(outputOf), Array.from({ length: callsAtOnce }, (_, n) => ({ n })));
  }
  t.equal((await service.get('/healthz', { token: null })).status, 200);

  stderr?.resume();
  const lost = await until(() => service.record('records-lost'), 'the lost records to be counted');
  const recorded = service.records.filter(({ kind }) => kind === 'call').length;
  // A thread that ended in that time has a record too.
  t.ok(recorded + Number(lost['records']) >= calls, `${recorded} calls are recorded, ${String(lost['records'])} records counted`);
  t.ok(recorded < calls);
  t.equal(service.stderr.length, service.records.length, 'no line is broken');

  stderr?.pause();
  for (let called = 0; called < calls; called += callsAtOnce) await Promise.all(Array.from({ length: callsAtOnce }, () => service.invoke(toolCall('echo'))));
  service.child.kill('SIGTERM');
  // The reader comes back only when the process is gone.
  await until(() => service.child.exitCode !== null, 'the service to end', 30_000);
  t.equal(service.child.exitCode, 0);
  stderr?.resume();
});
