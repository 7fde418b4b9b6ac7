import t from 'tap';
import { outputOf } from '../answers.js';
import { ids, serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'reports-its-context' });

const sent = {
  ...ids, requestId: 'request-1', projectId: 'project-1', orgId: 'org-1', idempotencyKey: '0d6f4c1a-9a43-5b1e-8f1d-2b7e6c3d9a10',
  env: { REGION: 'eu' }, config: { mode: 'fast', list: [1, { a: null }] }, settings: { 'acme.weights': { recency: 0.5 } }, laterField: { anything: ['at', 'all'] },
};
const secrets = { API_KEY: 'the-secret-value', nested: { deep: 'another-secret-value' } };
const report = async (ctx: unknown): Promise<Record<string, unknown>> => outputOf(await service.invoke(toolCall('context', {}, { ctx })));

t.test('the handler gets the context as it was sent, fields of later versions too', async (t) => {
  const { wire } = await report({ ...sent, secrets });
  t.strictSame(wire, sent);
});

t.test('the context has the signal and a logger of its own', async (t) => {
  const { signal, log, spread } = await report(sent);
  t.equal(signal, true);
  t.strictSame(log, ['trace', 'debug', 'info', 'warn', 'error', 'fatal']);
  t.notOk((spread as string[]).includes('log'));
});

t.test('secrets are there to be read, and show neither in a print nor in a copy of the context', async (t) => {
  const seen = await report({ ...sent, secrets });
  t.strictSame(seen['secrets'], secrets);
  t.notOk((seen['spread'] as string[]).includes('secrets'));
  t.notMatch(seen['printed'], /secret-value/);
  t.match(seen['printed'], /request-1/, 'the print shows the rest');
});

t.test('a context that brings a signal or a logger of its own does not replace the service’s', async (t) => {
  const { signal, log } = await report({ ...sent, abortSignal: 'mine', log: 'mine' });
  t.equal(signal, true);
  t.equal((log as string[]).length, 6);
});

t.test('a context with a key __proto__ is carried as data', async (t) => {
  const raw = JSON.stringify(toolCall('context', {}, { ctx: sent })).replace('"env":{', '"env":{"__proto__":{"polluted":true},');
  const { wire, signal } = outputOf(await service.invoke(raw));
  t.equal(signal, true);
  t.match(JSON.stringify(wire), /"__proto__":\{"polluted":true\}/);
});
