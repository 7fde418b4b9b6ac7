import type { CallEnded, ServiceEvent } from '../events/event.js';
import type { Observer } from '../events/event-stream.js';
import type { LogFormat, LogLevel } from './log-levels.js';
import { createLogger } from './logger.js';
import { Output } from './output.js';
import { callsRefused, eventForms, type RecordForm, recordsLost, writeRecord } from './record-forms.js';
import { Refusals } from './refusals.js';
import { TurnBatch } from './turn-batch.js';

/** How records are written. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** How many bytes of records may wait for a stderr that does not take them. */
  readonly bufferBytes: number;
}

/** Writes the records of what happens. */
export interface Log {
  /** Has an ended call wait until its record is out: after a kill, an answer without a record would be a call that nobody can find. */
  readonly observer: Observer;
  /** Resolves when every record is out, or the time is over. */
  flush(withinMs: number): Promise<void>;
}

/** Opens the log on stderr. */
export function logEvents({ level, format, bufferBytes }: LogOptions): Log {
  const stderr = new Output(2, { bufferBytes, onLost: (records) => write(recordsLost.name, recordsLost, { records }) });
  const logger = createLogger({ level, format, subsystem: 'pack' }, stderr);
  const always = logger.child({}, { level: 'info' });
  const write = <Subject extends object>(name: string, form: RecordForm<Subject>, subject: Subject): void =>
    writeRecord(form.isAlwaysWritten === true ? always : logger, name, form, subject);
  const writeEvent = (event: ServiceEvent): void => {
    // The table has each form under the kind of its events.
    const form = eventForms[event.kind] as RecordForm<ServiceEvent> | undefined;
    if (form !== undefined) write(form.name ?? event.kind, form, event);
  };
  const calls = new TurnBatch<CallEnded>((ended) => stderr.together(() => ended.forEach(writeEvent)));
  const refusals = new Refusals((refused) => write(callsRefused.name, callsRefused, { refused }));
  return {
    observer: (event) => {
      if (event.kind === 'call-ended') return calls.add(event);
      if (event.kind === 'call-refused') return refusals.add(event.reason);
      // Nothing is left uncounted at the end.
      if (event.kind === 'stopped') refusals.flush();
      return writeEvent(event);
    },
    flush: (withinMs) => {
      calls.flush();
      refusals.flush();
      return stderr.flush(withinMs);
    },
  };
}
