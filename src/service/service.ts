import { setTimeout as sleep } from 'node:timers/promises';
import { Gate } from '../calls/gate.js';
import { startGeneration } from './generation.js';
import { Generations, type Reload } from './generations.js';
import { Authenticator } from '../fronts/http/authenticate.js';
import { invoke } from '../fronts/http/invoke.js';
import { createRouter } from '../fronts/http/routes.js';
import { listen } from '../fronts/http/server.js';
import { Lifecycle } from './lifecycle.js';
import type { Records } from '../logging/records.js';
import type { Environment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { HostThreads } from '../threads/schedule/host-threads.js';
import type { LogFormat } from '../logging/log-levels.js';
import { openJournal } from './journal.js';
import type { Settings } from './settings.js';

/** A running pack service. */
export interface PackService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves with the reason when the service cannot go on, and its process should be restarted. */
  readonly unusable: Promise<string>;
  /**
   * Reads the pack again, has threads load it, then hands them the calls that come; those in flight end where
   * they are. Never rejects: of a pack that cannot be served it answers the problems, and the old one goes on.
   */
  reload(): Promise<Reload>;
  /** Stops taking calls and resolves when those in flight are over, or the drain timeout has passed. */
  drain(): Promise<void>;
  /**
   * Drains, ends what is left, and closes every thread and connection. May be called twice. Answers
   * how many threads native code keeps from ending: with one of those, the process ends only by a kill.
   */
  close(): Promise<{ readonly stuckThreads: number }>;
}

/** A pack service, and the index it goes by now. */
export interface PackHost extends PackService {
  readonly index: IndexFile;
}

/** How long answers under way may take to go out once all calls are over. */
const flushMs = 1_000;

/**
 * Builds the service's parts in order and starts to listen; `prefer` says what to go by in a folder that has
 * both an index.json and sources. Throws BootError when the pack cannot be served, and what `listen` throws
 * when the address cannot be had.
 */
export async function startService(settings: Settings, environment: Environment, records: Records, logFormat: LogFormat, prefer: 'index' | 'sources' = 'index'): Promise<PackHost> {
  const lifecycle = new Lifecycle();
  let onUnusable: (reason: string) => void = () => {};
  const unusable = new Promise<string>((resolve) => (onUnusable = resolve));
  const onUnusableThreads = (): void => onUnusable('too many threads are held by native code');
  const host = new HostThreads({ ...settings, onUnusable: onUnusableThreads }, records);
  const options = { settings, environment, logFormat, prefer, host, onUnusable: onUnusableThreads };
  const journal = await openJournal(settings, records);
  const generations = new Generations(await startGeneration(options, records), (replaces, signal) => startGeneration(options, records, { replaces, signal }), records);
  const gate = new Gate(generations, {
    limit: Math.min(settings.maxConcurrency, settings.maxThreads * settings.callsPerWorker + settings.maxQueue),
    missingEnv: () => (settings.envCheck === 'strict' ? generations.generation.missingEnv : []),
    isHeldUp: () => settings.journalRequired === 'yes' && journal?.isWhole === false,
    lifecycle: () => ({ wantsTraffic: lifecycle.state === 'ready', takesCalls: lifecycle.state === 'ready' || lifecycle.state === 'leaving' }),
  });
  const invokeContext = { gate, records, journal: journal?.journal, artifactVersion: () => generations.generation.index.artifactVersion, maxBodyBytes: settings.maxBody, defaultTimeoutMs: settings.defaultTimeout };
  const answer = createRouter({
    gate,
    authenticator: new Authenticator(settings.token),
    info: () => generations.generation.info,
    invoke: (exchange) => invoke(exchange, invokeContext),
  });
  const server = await listen({ host: settings.host, port: settings.port, answer, onError: (error) => records.requestFailed(error) }).catch(async (error: unknown) => {
    await generations.close();
    throw error;
  });
  lifecycle.advance('ready');
  const { index, profiles } = generations.generation;
  records.listening({ port: server.port, packId: index.packId, artifactVersion: index.artifactVersion, profiles });

  let drained: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    records.draining();
    lifecycle.advance('leaving');
    await sleep(settings.drainDelay);
    lifecycle.advance('draining');
    server.keepNoConnections();
    // What is left then is cancelled, and has the grace within the drain timeout as well.
    await Promise.race([gate.idle(), sleep(Math.max(0, settings.drainTimeout - settings.grace), undefined, { ref: false })]);
  };
  let closed: Promise<{ readonly stuckThreads: number }> | undefined;
  const close = async (): Promise<{ readonly stuckThreads: number }> => {
    await (drained ??= drain());
    const left = await generations.close();
    await server.close(flushMs);
    await journal?.close();
    lifecycle.advance('stopped');
    records.stopped();
    return left;
  };
  return {
    url: `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`,
    address: { host: server.host, port: server.port },
    unusable,
    get index() {
      return generations.generation.index;
    },
    reload: () => generations.reload(),
    drain: () => (drained ??= drain()),
    close: () => (closed ??= close()),
  };
}
