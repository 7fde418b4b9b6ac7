import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { outputOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { launch, serve, toolCall } from '../running-service.js';

const pack = 'answers-plainly';

/** A port that something else listens on. */
async function takenPort(t: Test): Promise<number> {
  const server = createServer();
  t.teardown(() => { server.close(); });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

t.test('every bad setting is named at once, by the flag or variable that held it', async (t) => {
  const args = { '--port': '65536', '--max-threads': '0', '--calls-per-worker': 'some', '--max-body': '10MB', '--grace': '-1', '--idle-timeout': '1.5', '--env-check': 'loose', '--log-level': 'loud' };
  const env = {
    KINDGI_PACK_SERVICE_MAX_CONCURRENCY: 'zero', KINDGI_PACK_SERVICE_MAX_QUEUE: '-3', KINDGI_PACK_SERVICE_DRAIN_TIMEOUT: 'soon', KINDGI_PACK_SERVICE_DEFAULT_TIMEOUT: '0',
    KINDGI_PACK_ENV_FILTER: 'maybe', KINDGI_LOG_FORMAT: 'xml',
  };
  const problems = await problemsOf(t, 'config-invalid', { pack, token: '', args: Object.entries(args).flat(), env });
  for (const name of [...Object.keys(args), ...Object.keys(env), 'KINDGI_PACK_SERVICE_TOKEN']) problemNaming(t, problems, name);
  t.equal(problems.length, Object.keys(args).length + Object.keys(env).length + 1, 'and nothing else is');
});

t.test('PORT is named when it held the bad port', async (t) => {
  for (const PORT of ['-1', '80.5']) problemNaming(t, await problemsOf(t, 'config-invalid', { pack, env: { PORT } }), 'PORT');
});

t.test('fewer threads at most than at least are refused, and so are none', async (t) => {
  problemNaming(t, await problemsOf(t, 'config-invalid', { pack, args: ['--min-threads', '4', '--max-threads', '2'] }), '--min-threads', '--max-threads');
  problemNaming(t, await problemsOf(t, 'config-invalid', { pack, env: { KINDGI_PACK_SERVICE_MAX_THREADS: '0' } }), 'KINDGI_PACK_SERVICE_MAX_THREADS');
  problemNaming(t, await problemsOf(t, 'config-invalid', { pack, args: ['--max-concurrency', '0'] }), '--max-concurrency');
});

t.test('an argument wins over the environment', async (t) => {
  const env = { PORT: String(await takenPort(t)), KINDGI_PACK_SERVICE_MAX_BODY: '10', KINDGI_PACK_INDEX: '/nowhere/index.json' };
  const service = await serve(t, { pack, args: ['--port', '0', '--max-body', '1000'], env });
  t.same(outputOf(await service.invoke(toolCall('echo', { text: 'x' }))), { text: 'x' });
});

t.test('a flag may be given by its variable', async (t) => {
  const service = await serve(t, { pack, env: { KINDGI_PACK_SERVICE_MAX_BODY: '10' } });
  t.equal((await service.invoke(toolCall('echo', { text: 'x' }))).status, 413);
});

t.test('a flag without its value is named like any other bad setting', async (t) => {
  const problems = await problemsOf(t, 'config-invalid', { pack, args: ['--host', '--max-body=', '--grace', '-1', '--min-threads'] });
  for (const name of ['--host', '--max-body', '--grace', '--min-threads']) problemNaming(t, problems, name);
  t.equal(problems.length, 4, 'and nothing else is');
});

t.test('a flag that does not exist is refused, and the nearest one suggested', async (t) => {
  const service = launch(t, { pack, args: ['--max-concurency', '5'] });
  t.equal((await service.exited).code, 1);
  t.match([...service.stdout, ...service.stderr].join('\n'), /--max-concurrency/);
  const stray = launch(t, { pack, args: ['stray-argument'] });
  t.equal((await stray.exited).code, 1);
});

t.test('a port that is taken ends the start with a record', async (t) => {
  const port = String(await takenPort(t));
  const service = launch(t, { pack, args: ['--port', port] });
  t.equal((await service.exited).code, 1);
  const record = service.record('boot-failed') ?? service.record('config-invalid');
  t.match(JSON.stringify(record), port);
});
