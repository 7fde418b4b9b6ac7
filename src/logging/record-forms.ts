import type { ServiceEvent } from '../events/event.js';
import type { CallTags } from '../protocol/call-tags.js';
import type { LogLevel } from './log-levels.js';
import type { Logger } from './logger.js';
import type { RefusedCalls } from './refusals.js';

type RecordLevel = Exclude<LogLevel, 'trace' | 'silent'>;

/** What the record of something says. */
export interface RecordForm<Subject> {
  /** Its name, where it is not the event's. */
  readonly name?: string;
  readonly level: RecordLevel | ((subject: Subject) => RecordLevel);
  /** Whether it is written whatever the level that was set. */
  readonly isAlwaysWritten?: true;
  /** All that the event has, unless this says otherwise. */
  readonly fields?: (subject: Subject) => object;
  readonly message: (subject: Subject) => string;
}

type EventOf<Kind extends ServiceEvent['kind']> = Extract<ServiceEvent, { kind: Kind }>;

const noRecord = undefined;

/** The record of every kind of event, or that it has none of its own. */
export const eventForms: { readonly [Kind in ServiceEvent['kind']]: RecordForm<EventOf<Kind>> | undefined } = {
  listening: lifecycle('info', ({ port }) => `Listening on port ${port}.`),
  'boot-failed': lifecycle('fatal', ({ problems }) => `The pack cannot be served: ${problems.join('; ')}`),
  'config-invalid': lifecycle('fatal', ({ problems }) => `The settings are invalid: ${problems.join('; ')}`),
  reloaded: lifecycle('info', ({ artifactVersion }) => `Reloaded: calls go to artifact ${artifactVersion}.`),
  'reload-failed': lifecycle('error', ({ problems }) => `The new version cannot be served, the old one goes on: ${problems.join('; ')}`),
  draining: lifecycle('info', () => 'Draining: calls in flight go on, new ones are refused.'),
  stopped: lifecycle('info', () => 'Stopped.'),
  unusable: lifecycle('fatal', ({ reason }) => `The service cannot go on: ${reason}`),
  'journal-behind': lifecycle('error', ({ reason }) => `The journal falls behind: ${reason}`),
  'journal-keeps-up': lifecycle('info', ({ missing }) => `The journal takes the calls again; ${missing} are not in it.`),
  'journal-lost': lifecycle('error', ({ calls }) => `${calls} calls are not in the journal.`),
  'env-dropped': {
    level: 'info',
    message: () => 'These environment names do not reach pack code: the pack declares none of them.',
  },
  'token-exposed': {
    level: 'warn',
    message: () => 'Pack code can read the token in /proc/self/environ: it could not be overwritten there.',
  },
  'schema-warning': {
    level: 'warn',
    fields: ({ warning: { tool, check, schema } }) => ({ tool, check, schema }),
    message: ({ warning }) => warning.message,
  },
  'call-came': noRecord,
  // Counted: see callsRefused.
  'call-refused': noRecord,
  'call-began': noRecord,
  'call-ended': {
    name: 'call',
    level: ({ outcome }) => (outcome === 'ok' ? 'info' : 'warn'),
    fields: ({ target, tags, outcome, durationMs }) => ({ target, id: tags.toolId ?? tags.checkId, outcome, durationMs, ...tags }),
    message: () => 'call',
  },
  'handler-finished-late': { level: 'warn', fields: besideTags, message: () => 'A handler finished after its call had ended.' },
  'late-fault': { level: 'error', fields: besideTags, message: ({ cause }) => `After its answer, a call left behind: ${cause.message}` },
  'thread-started': { level: 'debug', message: ({ loadedInMs }) => `A worker thread has loaded the pack in ${loadedInMs} ms.` },
  'thread-ended': { level: 'warn', fields: besideTags, message: ({ reason }) => `A worker thread was ended: ${reason}` },
  'thread-failed': { level: 'error', message: ({ problems }) => `A worker thread could not start: ${problems.join('; ')}` },
  'threads-stuck': { level: 'error', message: ({ count }) => `${count} ended threads are held by native code that does not return.` },
  'memory-high': {
    level: 'warn',
    message: ({ rssMb, maxRssMb }) => `Resident memory is ${rssMb} MiB, more than ${maxRssMb}; a thread is replaced.`,
  },
  'request-failed': {
    level: 'error',
    fields: ({ error }) => ({ err: error }),
    message: () => 'The service failed to answer a request.',
  },
  'background-failed': {
    level: 'error',
    fields: ({ work, error }) => ({ work, err: error }),
    message: ({ work }) => `Work in the background failed: ${work}.`,
  },
};

/** The calls that were refused in a while. */
export const callsRefused = {
  name: 'calls-refused',
  level: 'warn',
  message: ({ refused }) => `Calls were refused: ${Object.entries(refused).map(([reason, calls]) => `${calls} ${reason}`).join(', ')}.`,
} as const satisfies RecordForm<{ readonly refused: RefusedCalls }>;

/** The records that found no room while stderr did not take them. */
export const recordsLost = {
  name: 'records-lost',
  level: 'warn',
  isAlwaysWritten: true,
  message: ({ records }) => `${records} records were lost: their reader did not take them in time.`,
} as const satisfies RecordForm<{ readonly records: number }>;

/** Writes one record. */
export function writeRecord<Subject extends object>(logger: Logger, name: string, form: RecordForm<Subject>, subject: Subject): void {
  const level = typeof form.level === 'function' ? form.level(subject) : form.level;
  logger[level]({ event: name, kind: name, ...(form.fields?.(subject) ?? subject) }, form.message(subject));
}

function lifecycle<Event>(level: RecordLevel, message: (event: Event) => string): RecordForm<Event> {
  return { level, isAlwaysWritten: true, message };
}

/** The ids of a call are fields of their own. */
function besideTags<Event extends { readonly tags: CallTags | undefined }>({ tags, ...fields }: Event): object {
  return { ...fields, ...tags };
}
