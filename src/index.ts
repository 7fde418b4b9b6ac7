/**
 * packhost as a library:
 *
 *     import { startPackService } from 'packhost';
 *
 *     const service = await startPackService({ index: 'my-pack/index.json', host: '127.0.0.1', port: 0, token });
 *     console.log(service.url);
 *     await service.close(); // drains first
 *
 * It touches nothing of `process`: no signal, no environment, no exit.
 */
import { openRecords } from './logging/records.js';
import type { Environment } from './packs/environment.js';
import { type PackService, startService } from './service/service.js';
import { checkSettings, type SettingName, settingTable } from './service/settings.js';

export { BootError } from './packs/boot-error.js';
export { CallCancelled } from './sdk/cancellation.js';
export type { Reload } from './service/generations.js';
export type { PackService } from './service/service.js';
export { InvalidSettings } from './service/settings.js';

/** What `startPackService` takes. Times are in milliseconds; what is left out has the command's default. */
export interface PackServiceOptions {
  /** What callers must send as `kindgi-pack-token`: visible ASCII. Only its hash is kept. */
  readonly token: string;
  /** The pack's index.json, or its folder; of one without an index.json the sources are indexed in memory. */
  readonly index: string;
  /** The folder module paths start from; the index's folder by default. */
  readonly moduleRoot?: string;
  /** JSON file: source path → bundle path under the module root. */
  readonly bundleMap?: string;
  /** The environment pack code may get, filtered as `envFilter` says; empty by default. */
  readonly env?: Environment;
  /** Every interface by default. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port?: number;
  /** Calls in flight at once; more are answered 503. */
  readonly maxConcurrency?: number;
  /** Worker threads kept warm; the cores by default. */
  readonly minThreads?: number;
  /** Worker threads at most; `maxConcurrency` by default. */
  readonly maxThreads?: number;
  /** Calls that may share a thread; 1 gives each its own. */
  readonly callsPerWorker?: number;
  /** Calls that may wait beyond what all threads can run; `maxConcurrency` by default. */
  readonly maxQueue?: number;
  /** Calls after which a thread is replaced; never by default. */
  readonly maxCallsPerWorker?: number;
  /** How long a thread above `minThreads` may idle. */
  readonly idleTimeout?: number;
  /** How long a thread may take to load the pack. */
  readonly bootTimeout?: number;
  /** The deadline of a call that names none. */
  readonly defaultTimeout?: number;
  /** From a call's abort signal to the loss of its thread. */
  readonly grace?: number;
  /** How long calls in flight may take once the service closes. */
  readonly drainTimeout?: number;
  /** How long calls are still taken once the service closes, while /readyz already fails. */
  readonly drainDelay?: number;
  /** Resident memory, in MiB, above which threads are replaced one by one; none by default. */
  readonly maxRss?: number;
  /** Threads that native code may hold before `unusable` resolves. */
  readonly maxStuckThreads?: number;
  /** The largest request body, in bytes. */
  readonly maxBody?: number;
  /** `strict`: a missing required name keeps the service unready. */
  readonly envCheck?: 'strict' | 'warn';
  /** `on`: pack code gets only declared and platform names. */
  readonly envFilter?: 'on' | 'off';
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** JSON by default. Records go to stderr. */
  readonly logFormat?: 'json' | 'pretty';
}

/**
 * Starts a pack service and resolves once it listens. Rejects with InvalidSettings, BootError (the
 * pack cannot be served), or the system's error when the address cannot be had.
 */
export async function startPackService(options: PackServiceOptions): Promise<PackService> {
  const given: Partial<Record<SettingName, unknown>> = { ...options };
  const unknown = Object.keys(options).filter((name) => !(name in settingTable) && name !== 'token' && name !== 'env');
  const settings = checkSettings(
    (name) => (given[name] === undefined ? undefined : { value: given[name], from: name }),
    { value: options.token, from: 'token' },
    unknown.map((name) => `${name}: there is no such option`),
  );
  const format = settings.logFormat === 'pretty' ? 'pretty' : 'json';
  const records = openRecords(settings.logLevel, format);
  return startService(settings, options.env ?? {}, records, format);
}
