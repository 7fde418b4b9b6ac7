/** A process that logs the events of its argument, waits until they are noticed, and then ends as it says. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { ServiceEvent } from '../../src/events/event.js';
import { logEvents, type LogOptions } from '../../src/logging/log-events.js';

export interface LoggerOptions extends LogOptions {
  /** `error` is the message of the error that the event has. */
  readonly events: readonly unknown[];
  /** How often each is emitted, instead of once. */
  readonly times?: number;
  /** Has the process kill itself once the events are noticed; else it ends with its stdin. */
  readonly killsItself?: boolean;
}

const { events, times = 1, killsItself = false, ...options } = JSON.parse(process.argv[2] ?? '') as LoggerOptions;
const log = logEvents(options);

function eventOf(json: unknown): ServiceEvent {
  const { error, ...event } = json as { error?: string };
  return { ...event, ...(error === undefined ? {} : { error: new TypeError(error) }) } as ServiceEvent;
}

const noticed: Promise<void>[] = [];
for (const event of events.map(eventOf)) {
  for (let time = 0; time < times; time++) noticed.push(Promise.resolve(log.observer(event)));
}
await Promise.all(noticed);
if (killsItself) process.kill(process.pid, 'SIGKILL');
writeSync(1, 'noticed\n');
await once(process.stdin.resume(), 'end');
await log.flush(30_000);
process.exit(0);
