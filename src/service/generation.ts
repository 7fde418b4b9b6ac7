import { loadOrMakeIndex } from '../indexer/load-or-make.js';
import type { ListeningService } from '../events/event.js';
import type { CompiledSchemas } from '../packs/entry-schemas.js';
import { type Environment, missingNames, packEnvironment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { describePack, openPack } from '../packs/pack.js';
import type { Dispatch } from '../threads/schedule/dispatcher.js';
import type { ServiceThreads } from '../threads/service-threads.js';
import type { LogFormat } from '../logging/log-levels.js';
import type { Settings } from './settings.js';

/** One version of a pack, its threads warm. */
export interface Generation {
  readonly index: IndexFile;
  readonly profiles: ListeningService['profiles'];
  /** The body of /v1/info. */
  readonly info: string;
  /** The required environment names that are not set. */
  readonly missingEnv: readonly string[];
  /** The environment names that do not reach its code. */
  readonly dropped: readonly string[];
  readonly warnings: CompiledSchemas['warnings'];
  readonly dispatch: Dispatch;
}

/** What every generation of a service is made with. */
export interface GenerationOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly logFormat: LogFormat;
  /** Which to go by in a folder that has both an index.json and sources. */
  readonly prefer: 'index' | 'sources';
  readonly threads: ServiceThreads;
}

/**
 * Reads the pack as it is now and has its threads load it. `replaces` is the artifact version before;
 * `signal` gives the start up. Throws BootError when the pack cannot be served.
 */
export async function startGeneration(
  { settings, environment, logFormat, prefer, threads }: GenerationOptions,
  { replaces, signal }: { readonly replaces?: string; readonly signal?: AbortSignal } = {},
): Promise<Generation> {
  const { envFilter, bootTimeout, bundleMap } = settings;
  const { index, folder } = await loadOrMakeIndex(settings.index, { environment, envFilter, loadTimeoutMs: bootTimeout, prefer, replaces, signal });
  const pack = await openPack(index, { moduleRoot: settings.moduleRoot ?? folder, bundleMap }, settings.callsPerWorker);
  const { variables, dropped } = packEnvironment(environment, index, envFilter);
  signal?.throwIfAborted();
  const log = { level: settings.logLevel, format: logFormat, bufferBytes: settings.logBuffer };
  const dispatch = await threads.start({ pack, artifactVersion: index.artifactVersion, environment: variables, log }, signal);
  const missingEnv = missingNames(environment, index);
  return {
    index,
    profiles: pack.parts.map(({ profile, threadPack }) => ({ ...profile, tools: threadPack.tools.length, checks: threadPack.checks.length })),
    info: JSON.stringify({ ...describePack(index), missingEnv }),
    missingEnv,
    dropped,
    warnings: (await pack.schemas.compile()).warnings,
    dispatch,
  };
}
