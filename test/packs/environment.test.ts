import t, { type Test } from 'tap';
import { outputOf, turnedAway } from '../answers.js';
import { type RunningService, serve, toolCall } from '../running-service.js';

const pack = 'reads-the-environment';
const declared = { PACK_NEEDS_A: 'value-a', PACK_NEEDS_B: 'value-b', PACK_LIKES_C: 'value-c' };
const tokenName = 'KINDGI_PACK_SERVICE_TOKEN';

const token = 'the-token-to-be-searched-for';

/** Searches for the token from within pack code, which may read how its process was started. */
async function findsNoToken(t: Test, service: RunningService): Promise<void> {
  const searched = outputOf(await service.invoke(toolCall('search', { text: token })));
  t.strictSame(searched, { found: [], readable: true }, 'pack code finds the token nowhere');
}

interface Environment {
  readonly whenImported: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

t.test('strict: while a required name is unset or empty nothing is served, and the names are told', async (t) => {
  const service = await serve(t, { pack, env: { PACK_NEEDS_B: '' } });
  const body = { error: 'missing env', missingEnv: ['PACK_NEEDS_A', 'PACK_NEEDS_B'] };
  for (const answer of [await service.get('/readyz', { token: null }), await service.invoke(toolCall('environment'))]) {
    turnedAway(t, answer, 'missing env');
    t.strictSame(answer.body, body);
  }
  const info = await service.get('/v1/info');
  t.equal(info.status, 200);
  t.same(info.body['missingEnv'], body.missingEnv);
  t.equal((await service.get('/healthz', { token: null })).status, 200);
});

t.test('warn: it serves, and still tells what is missing', async (t) => {
  const service = await serve(t, { pack, args: ['--env-check', 'warn'], env: { PACK_NEEDS_A: 'value-a' } });
  t.equal((await service.get('/readyz', { token: null })).status, 200);
  t.same((await service.get('/v1/info')).body['missingEnv'], ['PACK_NEEDS_B']);
  t.type(outputOf(await service.invoke(toolCall('environment')))['variables'], 'object');
});

t.test('declared, Kindgi and platform names reach pack code, others do not and are named without their values', async (t) => {
  const passed = {
    ...declared, HOME: '/home/pack', TZ: 'UTC', NODE_ENV: 'test', KINDGI_LOG_FORMAT: 'json', KINDGI_ANYTHING: '1',
    https_proxy: 'http://proxy:1', NO_PROXY: 'localhost', AWS_REGION: 'eu-west-1', AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://x', K_SERVICE: 'pack',
    AZURE_CLIENT_ID: 'id', MSI_SECRET: 'platform', LC_ALL: 'C', PYTHONPATH: '/p', OTEL_SERVICE_NAME: 'pack', CLOUD_RUN_JOB: 'j', CONTAINER_APP_NAME: 'n',
  };
  const dropped = {
    AWS_SECRET_ACCESS_KEY: 'dropped-value-1', DATABASE_URL: 'dropped-value-2', UNDECLARED: 'dropped-value-3', PACK_NEEDS: 'dropped-value-4',
    path: 'dropped-value-5', kindgi_lower: 'dropped-value-6', MY_KINDGI_NAME: 'dropped-value-7', LC: 'dropped-value-8', https_Proxy: 'dropped-value-9',
  };
  const service = await serve(t, { pack, token: `${token}\n`, env: { ...passed, ...dropped } });
  const { variables, whenImported } = outputOf(await service.invoke(toolCall('environment'))) as unknown as Environment;
  t.match(variables, { ...passed, PATH: process.env['PATH'], PORT: '0' }, 'with their values');
  t.strictSame(Object.keys(variables).filter((name) => name in dropped || name === tokenName), []);
  t.strictSame([...whenImported].sort(), Object.keys(variables).sort(), 'a module sees the same while it is imported');
  const record = await service.recorded('env-dropped');
  // tap adds names of its own to what a test starts.
  t.strictSame((record['names'] as string[]).filter((name) => !name.startsWith('_TAPJS_')), Object.keys(dropped).sort());
  t.equal(service.records.filter(({ kind }) => kind === 'env-dropped').length, 1);
  t.notMatch([...service.stderr, ...service.stdout].join('\n'), /dropped-value/);
  await findsNoToken(t, service);
});

t.test('filter off: every name but the token reaches pack code', async (t) => {
  const service = await serve(t, { pack, args: ['--env-filter', 'off'], token, env: { ...declared, UNDECLARED: 'reaches', AWS_SECRET_ACCESS_KEY: 'too' } });
  const { variables } = outputOf(await service.invoke(toolCall('environment'))) as unknown as Environment;
  t.match(variables, { UNDECLARED: 'reaches', AWS_SECRET_ACCESS_KEY: 'too' });
  t.notOk(tokenName in variables);
  t.equal(service.record('env-dropped'), undefined);
  await findsNoToken(t, service);
});
