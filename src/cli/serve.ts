import { startService } from '../service/service.js';
import { readFlags } from './flags.js';
import { closeAndExit, failBoot, formatOf, openEvents, restartWhenUnusable, settingsOf } from './run-service.js';
import { takeToken } from './token.js';

/** `packhost serve`: runs until SIGTERM or SIGINT, and exits 0; 1 when it could not start. SIGHUP reloads the pack. */
export async function serve(args: readonly string[]): Promise<void> {
  const { token, exposure } = takeToken();
  const settings = await settingsOf(readFlags(args, process.env), token);
  const format = formatOf(settings.logFormat);
  const { events, log } = openEvents(settings, format);
  if (exposure !== undefined) events.emit({ kind: 'token-exposed', reason: exposure });

  // Before the boot: as process 1 of a container, a process without a handler does not even notice a SIGTERM.
  let stop = (): void => process.exit(0);
  // npm passes Ctrl-C on to a process that the terminal has signalled already: further signals change nothing.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop());
  const starting = startService(settings, { environment: process.env, events, logFormat: format });
  // One that comes during the boot asks for what has changed since: it waits.
  process.on('SIGHUP', () => events.inBackground('the reload on SIGHUP', starting.then((service) => service.reload())));
  const service = await starting.catch((error: unknown) => failBoot(error, events, log));
  stop = () => events.inBackground('the stop', closeAndExit(service, log));
  events.inBackground('watching over the service', restartWhenUnusable(service, events, () => stop()));
}
