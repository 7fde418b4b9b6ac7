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
import { EventStream } from './events/event-stream.js';
import { logEvents } from './logging/log-events.js';
import type { Environment } from './packs/environment.js';
import { type PackService, startService } from './service/service.js';
import { checkSettings, type SettingName, type SettingOptions, settingTable } from './service/settings.js';

export { BootError } from './packs/boot-error.js';
export { CallCancelled } from './sdk/cancellation.js';
export type { Reload } from './service/generations.js';
export type { PackService } from './service/service.js';
export { InvalidSettings } from './service/settings.js';

/** What `startPackService` takes: the settings of `packhost serve` in camel case, times in milliseconds, with the defaults that it has. */
export interface PackServiceOptions extends SettingOptions {
  /** What callers must send as `kindgi-pack-token`: visible ASCII. Only its hash is kept. */
  readonly token: string;
  /** The pack's index.json, or its folder; of one without an index.json the sources are indexed in memory. */
  readonly index: string;
  /** The environment pack code may get, filtered as `envFilter` says; empty by default. */
  readonly env?: Environment;
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
  const events = new EventStream();
  const log = logEvents({ level: settings.logLevel, format, bufferBytes: settings.logBuffer });
  events.observe(log.observer);
  return startService(settings, { environment: options.env ?? {}, events, logFormat: format });
}
