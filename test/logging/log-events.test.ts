import t, { type Test } from 'tap';
import { type LogRecord, until } from '../running-service.js';
import type { LoggerOptions } from './event-logger.js';
import { startWriter, type Writer } from './start-writer.js';

const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const tags = { tenantId: 'tenant-1', runId: 'run-1', requestId: 'request-1', ...trace };
const toolTags = { ...tags, toolId: 'acme.add' };
const checkTags = { ...tags, checkId: 'acme.fits' };
const cause = { name: 'TypeError', message: 'it was late' };
const err = { type: 'TypeError', message: 'broken' };
const profiles = [{ sandbox: 'strict', network: { kind: 'none' }, tools: 2, checks: 0 }];
const call = { target: 'tool', id: 'acme.add', outcome: 'ok', durationMs: 7 };
const fieldsOfCall = { ...call, ...toolTags };
const ended = { kind: 'call-ended', ...call, tags: toolTags, message: '{}', answer: '{}' };

interface RecordOfEvent {
  readonly event: Readonly<Record<string, unknown>> & { readonly kind: string };
  /** Absent where the event has no record. */
  readonly level?: string;
  readonly message?: string;
  /** Where it is not the event's. */
  readonly name?: string;
  /** Where they are not the event's. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** In the order in which the records come: those of calls are written at the end of the turn. */
const recordsOfEvents: readonly RecordOfEvent[] = [
  {
    event: { kind: 'listening', port: 8080, packId: 'acme', artifactVersion: '1', profiles },
    level: 'info',
    message: 'Listening on port 8080.',
  },
  { event: { kind: 'boot-failed', problems: ['one', 'two'] }, level: 'fatal', message: 'The pack cannot be served: one; two' },
  { event: { kind: 'config-invalid', problems: ['one'] }, level: 'fatal', message: 'The settings are invalid: one' },
  {
    event: { kind: 'reloaded', artifactVersion: '2', tools: 3, checks: 4, durationMs: 5 },
    level: 'info',
    message: 'Reloaded: calls go to artifact 2.',
  },
  {
    event: { kind: 'reload-failed', problems: ['one'] },
    level: 'error',
    message: 'The new version cannot be served, the old one goes on: one',
  },
  { event: { kind: 'journal-behind', reason: 'full' }, level: 'error', message: 'The journal falls behind: full' },
  { event: { kind: 'journal-keeps-up', missing: 6 }, level: 'info', message: 'The journal takes the calls again; 6 are not in it.' },
  { event: { kind: 'journal-lost', calls: 7 }, level: 'error', message: '7 calls are not in the journal.' },
  { event: { kind: 'draining' }, level: 'info', message: 'Draining: calls in flight go on, new ones are refused.' },
  { event: { kind: 'stopped' }, level: 'info', message: 'Stopped.' },
  { event: { kind: 'unusable', reason: 'stuck' }, level: 'fatal', message: 'The service cannot go on: stuck' },
  {
    event: { kind: 'env-dropped', names: ['SECRET'] },
    level: 'info',
    message: 'These environment names do not reach pack code: the pack declares none of them.',
  },
  {
    event: { kind: 'token-exposed', reason: 'EACCES' },
    level: 'warn',
    message: 'Pack code can read the token in /proc/self/environ: it could not be overwritten there.',
  },
  {
    event: { kind: 'schema-warning', warning: { tool: 'acme.add', schema: 'input', message: 'unknown format' } },
    level: 'warn',
    fields: { tool: 'acme.add', schema: 'input' },
    message: 'unknown format',
  },
  { event: { kind: 'call-came' } },
  { event: { kind: 'call-began', tags, waitedMs: 1 } },
  {
    event: { kind: 'handler-finished-late', tags, afterMs: 8 },
    level: 'warn',
    fields: { afterMs: 8, ...tags },
    message: 'A handler finished after its call had ended.',
  },
  {
    event: { kind: 'late-fault', fault: 'rejection', tags, cause },
    level: 'error',
    fields: { fault: 'rejection', cause, ...tags },
    message: 'After its answer, a call left behind: it was late',
  },
  { event: { kind: 'thread-started', loadedInMs: 9 }, level: 'debug', message: 'A worker thread has loaded the pack in 9 ms.' },
  {
    event: { kind: 'thread-ended', reason: 'it hung', tags },
    level: 'warn',
    fields: { reason: 'it hung', ...tags },
    message: 'A worker thread was ended: it hung',
  },
  { event: { kind: 'thread-failed', problems: ['one'], retryInMs: 10 }, level: 'error', message: 'A worker thread could not start: one' },
  {
    event: { kind: 'threads-stuck', count: 1, allowed: 4 },
    level: 'error',
    message: '1 ended threads are held by native code that does not return.',
  },
  {
    event: { kind: 'memory-high', rssMb: 12, maxRssMb: 11 },
    level: 'warn',
    message: 'Resident memory is 12 MiB, more than 11; a thread is replaced.',
  },
  {
    event: { kind: 'request-failed', error: 'broken' },
    level: 'error',
    fields: { err },
    message: 'The service failed to answer a request.',
  },
  {
    event: { kind: 'background-failed', work: 'the watch', error: 'broken' },
    level: 'error',
    fields: { work: 'the watch', err },
    message: 'Work in the background failed: the watch.',
  },
  {
    event: { kind: 'call-refused', reason: 'overloaded' },
    level: 'warn',
    name: 'calls-refused',
    fields: { refused: { overloaded: 1 } },
    message: 'Calls were refused: 1 overloaded.',
  },
  { event: ended, level: 'info', name: 'call', fields: fieldsOfCall, message: 'call' },
  {
    event: { ...ended, outcome: 'handler-throw' },
    level: 'warn',
    name: 'call',
    fields: { ...fieldsOfCall, outcome: 'handler-throw' },
    message: 'call',
  },
  {
    event: { ...ended, target: 'check', id: 'acme.fits', tags: checkTags },
    level: 'info',
    name: 'call',
    fields: { target: 'check', id: 'acme.fits', outcome: 'ok', durationMs: 7, ...checkTags },
    message: 'call',
  },
];
const ofLifecycle = new Set(
  ['listening', 'boot-failed', 'config-invalid', 'reloaded', 'reload-failed', 'draining', 'stopped', 'unusable'].concat(
    ['journal-behind', 'journal-keeps-up', 'journal-lost'],
  ),
);

function start(t: Test, options: Partial<LoggerOptions>): Writer {
  return startWriter(t, './event-logger.js', { level: 'debug', format: 'json', bufferBytes: 100_000, events: [], ...options }, 'a pipe');
}

const events = recordsOfEvents.map(({ event }) => event);
const recordsIn = (lines: readonly string[]): LogRecord[] => lines.map((line) => JSON.parse(line) as LogRecord);

t.test('every kind of event has the record that operators know, or none', async (t) => {
  const records = recordsIn(await start(t, { events, killsItself: true }).read());
  const expected = recordsOfEvents.flatMap(({ event: { kind, ...own }, level, name = kind, fields = own, message }) =>
    level === undefined ? [] : [{ level, severity: level.toUpperCase(), subsystem: 'pack', event: name, kind: name, ...fields, message }],
  );
  const seen = records.map(({ time, err, ...record }) => {
    t.equal(new Date(String(time)).toISOString(), time);
    if (err === undefined) return record;
    // Its stack names the places of this machine.
    const { stack, ...rest } = err as Record<string, unknown>;
    t.match(stack, /event-logger/);
    return { ...record, err: rest };
  });
  t.strictSame(seen, expected);
});

t.test('the level holds for all records but those of the life of the service', async (t) => {
  const kindsAt = async (level: 'silent' | 'error'): Promise<unknown> =>
    recordsIn(await start(t, { events, level, killsItself: true }).read()).map(({ kind }) => kind);
  const kinds = events.map(({ kind }) => kind);
  t.strictSame(await kindsAt('silent'), kinds.filter((kind) => ofLifecycle.has(kind)));
  const severe = new Set(recordsOfEvents.flatMap(({ event, level }) => (level === 'error' || level === 'fatal' ? event.kind : [])));
  t.strictSame(await kindsAt('error'), kinds.filter((kind) => ofLifecycle.has(kind) || severe.has(kind)));
});

t.test('the pretty format is out as soon, with the time, the level, the message and the ids', async (t) => {
  const text = (await start(t, { events: [{ kind: 'draining' }, ended], format: 'pretty', killsItself: true }).read()).join('\n');
  t.match(text, /\d\d:\d\d:\d\d\.\d{3}.*INFO.*Draining: calls in flight go on/);
  t.match(text, /toolId.*acme\.add/);
  t.notMatch(text, /subsystem|severity|kind/);
});

t.test('refused calls are counted: the first is told at once, the others once a second, the rest at the end', async (t) => {
  const events = ['overloaded', 'draining'].map((reason) => ({ kind: 'call-refused', reason }));
  const writer = start(t, { events, times: 500 });
  const reading = writer.read();
  const counts = (): unknown[] => recordsIn(writer.received.split('\n').slice(0, -1)).map(({ refused }) => refused);
  await writer.tells('noticed');
  await until(() => counts().length >= 2, 'the count of the first second');
  writer.end();
  const records = recordsIn(await reading);
  t.strictSame(records.map(({ kind }) => kind), ['calls-refused', 'calls-refused']);
  t.strictSame(counts(), [{ overloaded: 1 }, { overloaded: 499, draining: 500 }]);
  const [first = 0, second = 0] = records.map(({ time }) => Date.parse(String(time)));
  t.ok(second - first >= 990, 'a second lies between');
});

t.test('what was counted of refused calls is written by a flush, before its second is over', async (t) => {
  const writer = start(t, { events: [{ kind: 'call-refused', reason: 'not ready' }], times: 30 });
  await writer.tells('noticed');
  writer.end();
  const records = recordsIn(await writer.read());
  t.strictSame(records.map(({ refused }) => refused), [{ 'not ready': 1 }, { 'not ready': 29 }]);
});

t.test('records that found no room are counted in one record, whatever the level', async (t) => {
  const times = 5_000;
  const writer = start(t, { events: [{ kind: 'threads-stuck', count: 1, allowed: 4 }], times, level: 'error', bufferBytes: 10_000 });
  await writer.tells('noticed');
  writer.end();
  const records = recordsIn(await writer.read());
  const kept = records.filter(({ kind }) => kind === 'threads-stuck').length;
  const { time: _, ...last } = records.at(-1) ?? {};
  const lost = times - kept;
  t.strictSame(last, {
    level: 'warn',
    severity: 'WARN',
    subsystem: 'pack',
    event: 'records-lost',
    kind: 'records-lost',
    records: lost,
    message: `${lost} records were lost: their reader did not take them in time.`,
  });
  t.equal(records.length, kept + 1);
});

t.test('a call is not held up by a stderr that nobody reads', async (t) => {
  const writer = start(t, { events: [ended], times: 5_000 });
  await writer.tells('noticed');
  t.equal(writer.received, '');
});
