import { createRequire } from 'node:module';
import type * as Pino from 'pino';
import type * as PinoPretty from 'pino-pretty';
import type { LogFormat, LogLevel } from './log-levels.js';

/** Pino's logger, whose call shapes `ctx.log` has. */
export type Logger = Pino.Logger;

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** What the records are about: `pack`, `pack.tool`, `pack.check`. */
  readonly subsystem: string;
}

/** Takes the lines of a logger, each with its end. */
export interface Lines {
  write(line: string): void;
}

const require = createRequire(import.meta.url);

/**
 * Makes a logger. Pino is loaded here rather than imported, since a worker thread whose pack never
 * logs does without its 37 ms and 8 MB.
 */
export function createLogger({ level, format, subsystem }: LoggerOptions, lines: Lines): Logger {
  const { pino } = require('pino') as typeof Pino;
  return pino(
    {
      level,
      base: { subsystem },
      messageKey: 'message',
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label, severity: label.toUpperCase() }) },
    },
    format === 'json' ? lines : readable(lines),
  );
}

/** The last time that was written, and its text: records that are written together mostly share their millisecond. */
let lastMs = -1;
let lastText = '';

/** As pino's own, which makes the text anew for each record: most of what a record's time costs. */
function isoTime(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = `,"time":"${new Date(ms).toISOString()}"`;
  }
  return lastText;
}

function readable(lines: Lines): Lines {
  const { prettyFactory } = require('pino-pretty') as typeof PinoPretty;
  const pretty = prettyFactory({
    colorize: true,
    messageKey: 'message',
    ignore: 'severity,subsystem,event,kind',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return { write: (line) => lines.write(pretty(line)) };
}
