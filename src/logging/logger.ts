import { createRequire } from 'node:module';
import type * as Pino from 'pino';
import type * as PinoPretty from 'pino-pretty';
import type { LogFormat, LogLevel } from '../protocol/log-levels.js';

/** Pino's logger, whose call shapes `ctx.log` has. */
export type Logger = Pino.Logger;

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** What the records are about: `pack`, `pack.tool`, `pack.check`. */
  readonly subsystem: string;
}

const stderr = 2;
const require = createRequire(import.meta.url);

/**
 * A logger on stderr. It writes synchronously: after a SIGKILL every record that was logged is
 * there, where an asynchronous destination loses all but a few. Pino is loaded here rather than
 * imported, since a worker thread whose pack never logs does without its 37 ms and 8 MB.
 */
export function createLogger({ level, format, subsystem }: LoggerOptions): Logger {
  const { pino } = require('pino') as typeof Pino;
  const destination = format === 'json' ? pino.destination({ fd: stderr, sync: true }) : readable();
  // A closed stderr (a log collector that went away) must not take the service with it.
  destination.on('error', () => {});
  return pino(
    {
      level,
      base: { subsystem },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label, severity: label.toUpperCase() }) },
    },
    destination,
  );
}

function readable(): PinoPretty.PrettyStream {
  const { build } = require('pino-pretty') as typeof PinoPretty;
  return build({ colorize: true, sync: true, destination: stderr, messageKey: 'message', ignore: 'severity,subsystem,event,kind', translateTime: 'SYS:HH:MM:ss.l' });
}
