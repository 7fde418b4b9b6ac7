import { openRecords } from '../logging/records.js';
import { tokenName } from '../packs/environment.js';
import type { LogFormat } from '../logging/log-levels.js';
import type { PackService } from '../service/service.js';
import { checkSettings, InvalidSettings, type Settings } from '../service/settings.js';
import type { Flags } from './flags.js';

/** The settings, checked; what cannot be used is recorded, and ends the process with exit 1. */
export function settingsOf(flags: Flags, token: string | undefined): Settings {
  try {
    return checkSettings(flags.given, { value: token, from: tokenName }, flags.problems);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    openRecords('info', formatOf(undefined)).configInvalid(error.problems);
    process.exit(1);
  }
}

/** For people where stderr is a terminal, unless a setting says otherwise. */
export function formatOf(setting: 'auto' | LogFormat | undefined): LogFormat {
  if (setting === 'json' || setting === 'pretty') return setting;
  return process.stderr.isTTY ? 'pretty' : 'json';
}

/** Drains and closes a service, and ends the process with exit 0, whatever native code does. */
export async function closeAndExit(service: PackService): Promise<void> {
  const { stuckThreads } = await service.close();
  if (stuckThreads > 0) endAtOnce();
  process.exit(0);
}

/** With a thread in a native call that does not return, process.exit would wait for it for ever. */
function endAtOnce(): void {
  // The kernel spares process 1 its own SIGKILL, but not the fault that an abort ends in.
  if (process.pid === 1) process.abort();
  process.kill(process.pid, 'SIGKILL');
}
