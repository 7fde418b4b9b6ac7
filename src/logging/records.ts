import type { Profile } from '../isolation/profile.js';
import type { CallOutcome } from '../protocol/errors.js';
import type { CallTags } from '../protocol/call-tags.js';
import type { FaultKind } from '../threads/link/messages.js';
import type { SchemaWarning } from '../packs/entry-schemas.js';
import type { LogFormat, LogLevel } from './log-levels.js';
import type { Cause } from '../protocol/messages.js';
import { createLogger } from './logger.js';
import { Stderr } from './stderr.js';
import { TurnBatch } from './turn-batch.js';

/** One answered call. */
export interface CallRecord {
  readonly target: 'tool' | 'check' | undefined;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
  readonly tags: CallTags;
}

/** What is served, and where. */
export interface ListeningRecord {
  readonly port: number;
  readonly packId: string;
  readonly artifactVersion: string;
  /** How the pack's code is held: one for each isolation profile, with how many tools and checks it holds. */
  readonly profiles: readonly (Profile & { readonly tools: number; readonly checks: number })[];
}

/** What is served after a reload. */
export interface ReloadedRecord {
  readonly artifactVersion: string;
  /** How many there are. */
  readonly tools: number;
  readonly checks: number;
  readonly durationMs: number;
}

/** Every record the service writes, each a function: what it holds is decided here and nowhere else. */
export interface Records {
  listening(fields: ListeningRecord): void;
  bootFailed(problems: readonly string[]): void;
  configInvalid(problems: readonly string[]): void;
  /** Calls go to a new version of the pack. */
  reloaded(fields: ReloadedRecord): void;
  /** The new version cannot be served; the old one goes on. */
  reloadFailed(problems: readonly string[]): void;
  draining(): void;
  stopped(): void;
  /** The environment names that pack code does not get; never their values. */
  envDropped(names: readonly string[]): void;
  /** The token could not be taken out of the process's start-up environment. */
  tokenExposed(reason: string): void;
  schemaWarning(warning: SchemaWarning): void;
  /** Resolves when the record is out: the answer follows it, since after a kill an answer without a record would be a call that nobody can find. */
  call(record: CallRecord): Promise<void>;
  /** A handler settled after its call had ended. */
  handlerFinishedLate(tags: CallTags, afterMs: number): void;
  /** Something a call left behind failed after its answer. */
  lateFault(fault: FaultKind, tags: CallTags | undefined, cause: Cause): void;
  threadEnded(reason: string, tags: CallTags | undefined): void;
  /** How many ended threads native code keeps alive has changed. */
  threadsStuck(count: number, allowed: number): void;
  /** Resident memory is above what the operator allows; both in MiB. */
  memoryHigh(rssMb: number, maxRssMb: number): void;
  /** The service cannot go on and ends, for its supervisor to restart. */
  unusable(reason: string): void;
  /** The journal has not all of the calls. */
  journalBehind(reason: string): void;
  /** The journal takes the calls again; so many, since the service started, are not in it. */
  journalKeepsUp(missing: number): void;
  /** The service has ended, and so many calls are not in its journal. */
  journalLost(calls: number): void;
  /** A thread could not be started. */
  threadFailed(problems: readonly string[]): void;
  /** The service itself failed while answering; the caller got a 500. */
  requestFailed(error: unknown): void;
}

/** Opens the records on stderr; the lifecycle's are written whatever the level. */
export function openRecords(level: LogLevel, format: LogFormat): Records {
  const stderr = new Stderr();
  const logger = createLogger({ level, format, subsystem: 'pack' }, stderr);
  const lifecycle = logger.child({}, { level: 'info' });
  const event = (name: string, fields: object): object => ({ event: name, kind: name, ...fields });
  const writeCall = ({ target, outcome, durationMs, tags }: CallRecord): void => {
    const fields = event('call', { target, id: tags.toolId ?? tags.checkId, outcome, durationMs, ...tags });
    if (outcome === 'ok') logger.info(fields, 'call');
    else logger.warn(fields, 'call');
  };
  const calls = new TurnBatch<CallRecord>((records) => stderr.together(() => records.forEach(writeCall)));
  return {
    listening: (fields) => lifecycle.info(event('listening', fields), `Listening on port ${fields.port}.`),
    bootFailed: (problems) => lifecycle.fatal(event('boot-failed', { problems }), `The pack cannot be served: ${problems.join('; ')}`),
    configInvalid: (problems) => lifecycle.fatal(event('config-invalid', { problems }), `The settings are invalid: ${problems.join('; ')}`),
    reloaded: (fields) => lifecycle.info(event('reloaded', fields), `Reloaded: calls go to artifact ${fields.artifactVersion}.`),
    reloadFailed: (problems) => lifecycle.error(event('reload-failed', { problems }), `The new version cannot be served, the old one goes on: ${problems.join('; ')}`),
    draining: () => lifecycle.info(event('draining', {}), 'Draining: calls in flight go on, new ones are refused.'),
    stopped: () => lifecycle.info(event('stopped', {}), 'Stopped.'),
    envDropped: (names) => logger.info(event('env-dropped', { names }), 'These environment names do not reach pack code: the pack declares none of them.'),
    tokenExposed: (reason) => logger.warn(event('token-exposed', { reason }), 'Pack code can read the token in /proc/self/environ: it could not be overwritten there.'),
    schemaWarning: ({ message, ...where }) => logger.warn(event('schema-warning', where), message),
    call: (record) => calls.add(record),
    handlerFinishedLate: (tags, afterMs) => logger.warn(event('handler-finished-late', { afterMs, ...tags }), 'A handler finished after its call had ended.'),
    lateFault: (fault, tags, cause) => logger.error(event('late-fault', { fault, cause, ...tags }), `After its answer, a call left behind: ${cause.message}`),
    threadEnded: (reason, tags) => logger.warn(event('thread-ended', { reason, ...tags }), `A worker thread was ended: ${reason}`),
    threadsStuck: (count, allowed) => logger.error(event('threads-stuck', { count, allowed }), `${count} ended threads are held by native code that does not return.`),
    memoryHigh: (rssMb, maxRssMb) => logger.warn(event('memory-high', { rssMb, maxRssMb }), `Resident memory is ${rssMb} MiB, more than ${maxRssMb}; a thread is replaced.`),
    unusable: (reason) => lifecycle.fatal(event('unusable', { reason }), `The service cannot go on: ${reason}`),
    journalBehind: (reason) => lifecycle.error(event('journal-behind', { reason }), `The journal falls behind: ${reason}`),
    journalKeepsUp: (missing) => lifecycle.info(event('journal-keeps-up', { missing }), `The journal takes the calls again; ${missing} are not in it.`),
    journalLost: (calls) => lifecycle.error(event('journal-lost', { calls }), `${calls} calls are not in the journal.`),
    threadFailed: (problems) => logger.error(event('thread-failed', { problems }), `A worker thread could not start: ${problems.join('; ')}`),
    requestFailed: (error) => logger.error({ ...event('request-failed', {}), err: error }, 'The service failed to answer a request.'),
  };
}
