import { createLogger } from '../logging/logger.js';
import { createRecords, type Records } from '../logging/records.js';
import { BootError } from '../packs/boot-error.js';
import { tokenName } from '../packs/environment.js';
import type { LogFormat, LogLevel } from '../protocol/log-levels.js';
import { type PackService, startService } from '../service.js';
import { checkSettings, InvalidSettings, type Settings } from '../settings.js';
import { readFlags } from './flags.js';
import { takeToken } from './token.js';

/** `packhost serve`: runs until SIGTERM or SIGINT, and exits 0; 1 when it could not start. */
export async function serve(args: readonly string[]): Promise<void> {
  const token = takeToken();
  const flags = readFlags(args, process.env);
  let settings: Settings;
  try {
    settings = checkSettings(flags.given, { value: token, from: tokenName }, flags.problems);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    recordsOf('info', formatOf(undefined)).configInvalid(error.problems);
    process.exit(1);
  }
  const format = formatOf(settings.logFormat);
  const records = recordsOf(settings.logLevel, format);
  let service: PackService;
  try {
    service = await startService(settings, environmentOf(process.env), records, format);
  } catch (error) {
    if (error instanceof BootError) records.bootFailed(error.problems);
    else records.bootFailed([error instanceof Error ? error.message : String(error)]);
    process.exit(1);
  }
  void service.unusable.then((reason) => {
    records.unusable(reason);
    void stop(service);
  });
  // npm passes Ctrl-C on to a process that the terminal has signalled already: further signals change nothing.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(service));
}

async function stop(service: PackService): Promise<void> {
  const { stuckThreads } = await service.close();
  // With a thread in a native call that does not return, process.exit would wait for it for ever.
  if (stuckThreads > 0) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
}

function recordsOf(level: LogLevel, format: LogFormat): Records {
  return createRecords(createLogger({ level, format, subsystem: 'pack' }));
}

function formatOf(setting: 'auto' | LogFormat | undefined): LogFormat {
  if (setting === 'json' || setting === 'pretty') return setting;
  return process.stderr.isTTY ? 'pretty' : 'json';
}

function environmentOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
