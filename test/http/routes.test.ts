import t from 'tap';
import { outputOf, turnedAway } from '../answers.js';
import { serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'answers-plainly' });
const routes = [['GET', '/healthz'], ['GET', '/readyz'], ['GET', '/v1/info'], ['POST', '/v1/invoke']] as const;

t.test('healthz and readyz answer without a token, or with a wrong one', async (t) => {
  for (const token of [null, 'wrong', service.token]) {
    const health = await service.get('/healthz', { token });
    t.equal(health.status, 200);
    t.match(health.headers['content-type'], /^application\/json/);
    t.strictSame(health.body, { status: 'ok' });
    const ready = await service.get('/readyz', { token });
    t.equal(ready.status, 200);
    t.strictSame(ready.body, { status: 'ready' });
  }
});

t.test('info names the pack, every version of every tool, and the checks by check id', async (t) => {
  const { status, body } = await service.get('/v1/info');
  t.equal(status, 200);
  t.same(body, {
    protocol: 2,
    packId: 'answers-plainly',
    packVersion: '1.2.3',
    artifactVersion: '20261129.1',
    tools: [{ id: 'echo', version: '1.0.0' }, { id: 'greet', version: '1.0.0' }, { id: 'greet', version: '2.0.0' }],
    checks: ['always-passes', 'checks.says-something'],
    missingEnv: [],
  });
});

t.test('an answer to a call carries its duration and the artifact version', async (t) => {
  const { headers } = await service.invoke(toolCall('echo', { text: 'x' }));
  t.match(headers['content-type'], /^application\/json/);
  t.equal(headers['kindgi-artifact-version'], '20261129.1');
  t.match(headers['kindgi-duration-ms'], /^\d+(\.\d+)?$/);
});

t.test('a path that is no route is 404 whatever the method and the token', async (t) => {
  const near = ['/', '/v1', '/v1/', '/v1/invoke/', '//v1/invoke', '/V1/Invoke', '/v1/invoke/x', '/v1/info/', '/healthz/x', '/readyz/', '/health', '/%', '/v1%2Finvoke', '/__proto__', '/constructor'];
  for (const path of near) {
    const answer = await service.get(path);
    t.equal(answer.status, 404, path);
    t.type((answer.body as { error?: unknown }).error, 'string');
  }
  for (const method of ['POST', 'PUT', 'OPTIONS', 'PROPFIND']) t.equal((await service.request(method, '/nowhere', { token: null })).status, 404, method);
});

t.test('a route answers another method 405, and Allow names the one it takes, token or not', async (t) => {
  for (const [allowed, path] of routes) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((other) => other !== allowed)) {
      const answer = await service.request(method, path, { token: null });
      t.equal(answer.status, 405, `${method} ${path}`);
      const methods = (answer.headers.allow ?? '').split(/,\s*/);
      t.ok(methods.includes(allowed), 'Allow names what the route takes');
      t.notOk(methods.includes(method), 'and not what it refused');
      t.type((answer.body as { error?: unknown }).error, 'string');
    }
  }
});

t.test('a query string changes nothing', async (t) => {
  for (const path of ['/healthz?probe=1', '/readyz?', '/v1/info?a=/b&c=%00']) t.equal((await service.get(path)).status, 200, path);
  t.equal((await service.get('/nowhere?/healthz')).status, 404);
  const answer = await service.request('POST', '/v1/invoke?x=1', { body: JSON.stringify(toolCall('echo', { text: 'x' })), headers: { 'content-type': 'application/json' } });
  t.same(outputOf(answer), { text: 'x' });
});

t.test('statuses are judged in the order 404, 405, 401, 503, 415, 413', async (t) => {
  const unready = await serve(t, { pack: 'reads-the-environment' });
  const wrongInEveryWay = { token: 'wrong', body: 'x'.repeat(10_500_000), headers: { 'content-type': 'text/plain' } };
  t.equal((await unready.request('PUT', '/nowhere', wrongInEveryWay)).status, 404);
  t.equal((await unready.request('PUT', '/v1/invoke', wrongInEveryWay)).status, 405);
  t.equal((await unready.request('POST', '/v1/invoke', wrongInEveryWay)).status, 401);
  turnedAway(t, await unready.request('POST', '/v1/invoke', { ...wrongInEveryWay, token: unready.token }), 'missing env');
  t.equal((await service.request('POST', '/v1/invoke', { ...wrongInEveryWay, token: service.token })).status, 415);
  t.equal((await service.request('POST', '/v1/invoke', { ...wrongInEveryWay, token: service.token, headers: { 'content-type': 'application/json' } })).status, 413);
});
