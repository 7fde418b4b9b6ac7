import { openRecords, type Records } from '../logging/records.js';
import { BootError } from '../packs/boot-error.js';
import type { LogFormat } from '../logging/log-levels.js';
import { type PackService, startService } from '../service/service.js';
import type { Settings } from '../service/settings.js';
import { readFlags } from './flags.js';
import { closeAndExit, formatOf, settingsOf } from './run-service.js';
import { takeToken } from './token.js';

/** `packhost serve`: runs until SIGTERM or SIGINT, and exits 0; 1 when it could not start. SIGHUP reloads the pack. */
export async function serve(args: readonly string[]): Promise<void> {
  const { token, exposure } = takeToken();
  const settings = settingsOf(readFlags(args, process.env), token);
  const format = formatOf(settings.logFormat);
  const records = openRecords(settings.logLevel, format);
  if (exposure !== undefined) records.tokenExposed(exposure);

  // Before the boot: as process 1 of a container, a process without a handler does not even notice a SIGTERM.
  let stop = (): void => process.exit(0);
  // npm passes Ctrl-C on to a process that the terminal has signalled already: further signals change nothing.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop());
  const starting = start(settings, records, format);
  // One that comes during the boot asks for what has changed since: it waits.
  process.on('SIGHUP', () => void starting.then((service) => service.reload()));
  const service = await starting;
  stop = () => void closeAndExit(service);
  void service.unusable.then((reason) => {
    records.unusable(reason);
    stop();
  });
}

async function start(settings: Settings, records: Records, format: LogFormat): Promise<PackService> {
  try {
    return await startService(settings, process.env, records, format);
  } catch (error) {
    records.bootFailed(error instanceof BootError ? error.problems : [error instanceof Error ? error.message : String(error)]);
    process.exit(1);
  }
}
