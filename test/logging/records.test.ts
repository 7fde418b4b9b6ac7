import t from 'tap';
import { failsWith, outputOf, verdictOf } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { checkCall, type LogRecord, serve, toolCall, until } from '../running-service.js';

const service = await serve(t, { pack: 'prints-and-logs', env: { KINDGI_LOG_LEVEL: 'debug' } });
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerSpan}-01`;
const ids = { tenantId: 'tenant-7', runId: 'run-7', projectId: 'project-7', orgId: 'org-7' };
const secrets = { API_KEY: 'the-secret-value' };
const named = (requestId: string): Record<string, unknown> => ({ ctx: { ...ids, requestId, secrets } });
const callOf = (requestId: string): Promise<LogRecord> => service.recorded('call', (record) => record['requestId'] === requestId);

t.test('listening tells the port, the pack and the artifact', async (t) => {
  const record = await service.recorded('listening');
  t.match(record, { event: 'listening', level: 'info', severity: 'INFO', subsystem: 'pack', message: String, packId: 'prints-and-logs', artifactVersion: '20261129.1', port: service.port });
  t.equal(new Date(String(record['time'])).toISOString(), record['time'], 'the time is ISO');
});

t.test('a call is recorded with its target, outcome, duration and every id', async (t) => {
  outputOf(await service.invoke(toolCall('print', {}, named('plain')), { traceparent }));
  const record = await callOf('plain');
  t.match(record, {
    event: 'call', subsystem: 'pack', level: 'info', severity: 'INFO', message: String,
    target: 'tool', id: 'print', toolId: 'print', outcome: 'ok', durationMs: Number, ...ids, requestId: 'plain', traceId,
  });
  t.match(record['spanId'], /^[0-9a-f]{16}$/);
  t.not(record['spanId'], callerSpan, 'the call has a span of its own');
});

t.test('a call that did not go well is recorded as a warning with its code', async (t) => {
  failsWith(t, await service.invoke(toolCall('fail', {}, named('failed'))), 'handler-throw');
  t.match(await callOf('failed'), { level: 'warn', severity: 'WARN', outcome: 'handler-throw', toolId: 'fail' });
  failsWith(t, await service.invoke(toolCall('nowhere', {}, named('unknown'))), 'tool-not-in-pack');
  t.match(await callOf('unknown'), { level: 'warn', outcome: 'tool-not-in-pack', id: 'nowhere' });
  failsWith(t, await hold(t, service, { headers: { 'kindgi-timeout-ms': '100' }, extra: named('too-late') }).answer, 'deadline-exceeded');
  const late = await callOf('too-late');
  t.match(late, { level: 'warn', outcome: 'deadline-exceeded' });
  t.ok(Number(late['durationMs']) >= 90 && Number(late['durationMs']) < 5000);
});

t.test('a check is recorded with the ids of its trace', async (t) => {
  const trace = { ...ids, requestId: 'of-the-trace', output: 'x' };
  verdictOf(await service.invoke(checkCall('checks.passes', {}, { trace })));
  const record = await service.recorded('call', ({ target }) => target === 'check');
  t.match(record, { id: 'checks.passes', checkId: 'checks.passes', outcome: 'ok', ...ids, requestId: 'of-the-trace' });
});

t.test('a traceparent that is none is not taken over', async (t) => {
  const none = ['nonsense', `00-${'0'.repeat(32)}-${callerSpan}-01`, `00-${traceId}-${'0'.repeat(16)}-01`, `00-${traceId.slice(1)}-${callerSpan}-01`, `ff-${traceId}-${callerSpan}-01`, `00-${traceId.toUpperCase()}-${callerSpan}-01`];
  for (const [at, header] of none.entries()) {
    outputOf(await service.invoke(toolCall('print', {}, named(`trace-${at}`)), { traceparent: header }));
    const record = await callOf(`trace-${at}`);
    for (const taken of [traceId, '0'.repeat(32), traceId.slice(1), traceId.toUpperCase()]) t.not(record['traceId'], taken, header);
  }
});

t.test('what a handler logs is a record bound to its call, in the call shapes of pino', async (t) => {
  outputOf(await service.invoke(toolCall('log', {}, named('logs')), { traceparent }));
  await service.recorded('call', (record) => record['requestId'] === 'logs');
  const logged = await until(() => {
    const records = service.records.filter((record) => record['subsystem'] === 'pack.tool' && record['requestId'] === 'logs');
    return records.length >= 6 ? records : undefined;
  }, 'the records of the handler');
  for (const record of logged) t.match(record, { toolId: 'log', ...ids, traceId, time: String });
  t.strictSame(logged.map(({ level }) => level), ['debug', 'info', 'info', 'warn', 'error', 'fatal']);
  t.strictSame(logged.map(({ severity }) => severity), ['DEBUG', 'INFO', 'INFO', 'WARN', 'ERROR', 'FATAL']);
  const [, plain, fields, bare, error] = logged;
  t.equal(plain?.['message'], 'plain message');
  t.match(fields, { orderId: 7, message: 'with fields and text' });
  t.match(bare, { orderId: 8 });
  t.match(error, { message: 'it failed', err: { type: 'TypeError', message: 'logged error', stack: /log\.mjs/ } });
});

t.test('what pack code prints reaches stdout and stderr as it is, and never the answer', async (t) => {
  t.same(outputOf(await service.invoke(toolCall('print'))), { printed: true });
  await until(() => service.stdout.includes('printed to stdout') && service.stderr.includes('printed to stderr'), 'the prints');
  t.ok(service.stdout.some((line) => line.includes('forged')), 'a forged answer is only a print');
});

t.test('neither the token nor a secret is in any line, though handlers log and print their context', async (t) => {
  outputOf(await service.invoke(toolCall('log-context', {}, named('logs-context'))));
  await callOf('logs-context');
  await until(() => service.records.some((record) => record['message'] === 'spread'), 'what it logged');
  const lines = [...service.stdout, ...service.stderr].join('\n');
  t.match(lines, /the whole context/);
  t.notMatch(lines, /the-secret-value/);
  t.notOk(lines.includes(service.token));
});

t.test('every record is one line of JSON with level, severity, time and subsystem', async (t) => {
  t.ok(service.records.length > 10);
  for (const record of service.records) {
    t.match(record, { level: String, severity: String(record['level']).toUpperCase(), time: /^\d{4}-.*Z$/, subsystem: /^pack(\.tool|\.check)?$/ });
    if (record.kind !== undefined) t.equal(record['event'], record.kind);
  }
});
