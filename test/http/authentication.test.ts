import http from 'node:http';
import t from 'tap';
import { errorOf, outputOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { launch, serve, toolCall } from '../running-service.js';

const tokenName = 'KINDGI_PACK_SERVICE_TOKEN';
// A token stored with a line end, as files and secret managers do.
const service = await serve(t, { pack: 'answers-plainly', token: ' s3cret-token-of-this-test\n' });
const call = JSON.stringify(toolCall('echo', { text: 'x' }));

t.test('the token is compared without the white space around it', async (t) => {
  t.equal((await service.get('/v1/info')).status, 200);
  t.same(outputOf(await service.invoke(call)), { text: 'x' });
});

t.test('no token, or one that is not all of it, is 401', async (t) => {
  const { token } = service;
  for (const wrong of [null, '', 'wrong', token.slice(0, -1), token.slice(1), `${token}x`, token.toUpperCase(), `${token}, ${token}`, `${token} ${token}`, 'tök\xff', 'x'.repeat(4000)]) {
    const info = await service.get('/v1/info', { token: wrong });
    t.equal(info.status, 401, JSON.stringify(wrong)?.slice(0, 60));
    t.type((info.body as { error?: unknown }).error, 'string');
    t.notOk(info.text.includes(token), 'the answer does not hold the token');
    t.equal((await service.invoke(call, {}, { token: wrong })).status, 401);
  }
});

t.test('the token sent twice is 401', async (t) => {
  const twice = await new Promise<number | undefined>((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: service.port, path: '/v1/info', agent: false });
    request.setHeader('kindgi-pack-token', [service.token, service.token]);
    request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject).end();
  });
  t.equal(twice, 401);
});

t.test('the token counts in its own header alone', async (t) => {
  for (const headers of [{ authorization: `Bearer ${service.token}` }, { authorization: service.token }, { cookie: `kindgi-pack-token=${service.token}` }]) {
    t.equal((await service.get('/v1/info', { token: null, headers })).status, 401);
  }
  t.equal((await service.get(`/v1/info?kindgi-pack-token=${service.token}`, { token: null })).status, 401);
  t.equal((await service.get('/v1/info', { token: null, headers: { 'Kindgi-Pack-TOKEN': service.token } })).status, 200, 'header names have no case');
});

t.test('a refused caller learns nothing about the pack', async (t) => {
  const { status, body } = await service.invoke(toolCall('not-there'), {}, { token: 'wrong' });
  t.equal(status, 401);
  t.strictSame(Object.keys(body), ['error']);
  t.equal(errorOf(await service.invoke(toolCall('not-there'))).code, 'tool-not-in-pack', 'which a caller with the token does');
});

t.test('a token that is missing, blank, or that no header can carry ends the start, unprinted', async (t) => {
  const bad = [' \n', 'two words', 'new\nline', 'pâssword'];
  await Promise.all(bad.map(async (token) => {
    const problems = await problemsOf(t, 'config-invalid', { pack: 'answers-plainly', token });
    const problem = problemNaming(t, problems, tokenName);
    if (token.trim() !== '') t.notOk(problem.includes(token), 'the problem does not hold the token');
  }));
});

t.test('the token is never an argument', async (t) => {
  const refused = launch(t, { pack: 'answers-plainly', args: ['--token', 'as-an-argument'] });
  t.not((await refused.exited).code, 0);
  t.equal(refused.record('listening'), undefined);
});

t.test('the token is in nothing that the service printed', async (t) => {
  const printed = [...service.stdout, ...service.stderr].join('\n');
  t.match(printed, /"listening"/);
  t.notOk(printed.includes(service.token));
});
