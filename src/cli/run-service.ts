import { EventStream } from '../events/event-stream.js';
import type { ServiceEvent } from '../events/event.js';
import { type Log, logEvents } from '../logging/log-events.js';
import type { LogFormat } from '../logging/log-levels.js';
import { BootError } from '../packs/boot-error.js';
import { tokenName } from '../packs/environment.js';
import type { PackService } from '../service/service.js';
import { checkSettings, InvalidSettings, type Settings, settingTable } from '../service/settings.js';
import type { Flags } from './flags.js';

type LogSettings = Pick<Settings, 'logLevel' | 'logBuffer'>;

/** The events of a service, and their log. */
export interface OpenedEvents {
  readonly events: EventStream;
  readonly log: Log;
}

/** How long records that stderr does not take are waited for at the end. */
const flushMs = 500;

/** The settings, checked; what cannot be used is recorded, and ends the process with exit 1. */
export async function settingsOf(flags: Flags, token: string | undefined): Promise<Settings> {
  try {
    return checkSettings(flags.given, { value: token, from: tokenName }, flags.problems);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    const { events, log } = openEvents({ logLevel: 'info', logBuffer: settingTable.logBuffer.fallback }, formatOf(undefined));
    events.emit({ kind: 'config-invalid', problems: error.problems });
    return exitAfter(log, 1);
  }
}

/** For people where stderr is a terminal, unless a setting says otherwise. */
export function formatOf(setting: 'auto' | LogFormat | undefined): LogFormat {
  if (setting === 'json' || setting === 'pretty') return setting;
  return process.stderr.isTTY ? 'pretty' : 'json';
}

/** What happens in the service, and the log that observes it; `isShown` says of which events. */
export function openEvents({ logLevel, logBuffer }: LogSettings, format: LogFormat, isShown: (event: ServiceEvent) => boolean = () => true): OpenedEvents {
  const events = new EventStream();
  const log = logEvents({ level: logLevel, format, bufferBytes: logBuffer });
  events.observe((event) => (isShown(event) ? log.observer(event) : undefined));
  return { events, log };
}

/** The service cannot be started: says why, and ends the process with exit 1. */
export function failBoot(error: unknown, events: EventStream, log: Log): Promise<never> {
  events.emit({ kind: 'boot-failed', problems: error instanceof BootError ? error.problems : [error instanceof Error ? error.message : String(error)] });
  return exitAfter(log, 1);
}

/** Stops the service when it cannot go on, for its supervisor to restart. */
export async function restartWhenUnusable(service: PackService, events: EventStream, stop: () => void): Promise<void> {
  const reason = await service.unusable;
  events.emit({ kind: 'unusable', reason });
  stop();
}

/** Drains and closes a service, and ends the process with exit 0, whatever native code does. */
export async function closeAndExit(service: PackService, log: Log): Promise<void> {
  const { stuckThreads } = await service.close();
  await log.flush(flushMs);
  if (stuckThreads > 0) endAtOnce();
  process.exit(0);
}

async function exitAfter(log: Log, code: number): Promise<never> {
  await log.flush(flushMs);
  process.exit(code);
}

/** With a thread in a native call that does not return, process.exit would wait for it forever. */
function endAtOnce(): void {
  // The kernel spares process 1 its own SIGKILL, but not the fault that an abort ends in.
  if (process.pid === 1) process.abort();
  process.kill(process.pid, 'SIGKILL');
}
