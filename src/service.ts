import { setTimeout as sleep } from 'node:timers/promises';
import { Gate } from './admission/gate.js';
import { Authenticator } from './http/authenticate.js';
import { invoke } from './http/invoke.js';
import { createRouter } from './http/routes.js';
import { listen } from './http/server.js';
import { Lifecycle } from './lifecycle.js';
import { loadOrMakeIndex } from './indexer/load-or-make.js';
import type { Records } from './logging/records.js';
import { type Environment, missingNames, packEnvironment } from './packs/environment.js';
import { describePack, openPack } from './packs/pack.js';
import { startDispatch } from './pool/dispatch.js';
import type { LogFormat } from './protocol/log-levels.js';
import type { Settings } from './settings.js';

/** A running pack service. */
export interface PackService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves with the reason when the service cannot go on, and its process should be restarted. */
  readonly unusable: Promise<string>;
  /** Stops taking calls and resolves when those in flight are over, or the drain timeout has passed. */
  drain(): Promise<void>;
  /**
   * Drains, ends what is left, and closes every thread and connection. May be called twice. Answers
   * how many threads native code keeps from ending: with one of those, the process ends only by a kill.
   */
  close(): Promise<{ readonly stuckThreads: number }>;
}

/** How long answers under way may take to go out once all calls are over. */
const flushMs = 1_000;

/**
 * Builds the service's parts in order and starts to listen. Throws BootError when the pack cannot be
 * served, and what `listen` throws when the address cannot be had.
 */
export async function startService(settings: Settings, environment: Environment, records: Records, logFormat: LogFormat): Promise<PackService> {
  const lifecycle = new Lifecycle();
  let onUnusable: (reason: string) => void = () => {};
  const unusable = new Promise<string>((resolve) => (onUnusable = resolve));
  const { envFilter, bootTimeout, bundleMap } = settings;
  const { index, folder } = await loadOrMakeIndex(settings.index, { environment, envFilter, loadTimeoutMs: bootTimeout });
  const { parts, warnings, problems } = await openPack(index, { moduleRoot: settings.moduleRoot ?? folder, bundleMap }, settings.callsPerWorker);
  const { variables, dropped } = packEnvironment(environment, index, envFilter);
  if (dropped.length > 0) records.envDropped(dropped);
  const dispatch = await startDispatch(
    { parts, problems },
    {
      environment: variables,
      log: { level: settings.logLevel, format: logFormat },
      minThreads: settings.minThreads,
      maxThreads: settings.maxThreads,
      callsPerWorker: settings.callsPerWorker,
      maxCallsPerWorker: settings.maxCallsPerWorker,
      idleTimeoutMs: settings.idleTimeout,
      bootTimeoutMs: settings.bootTimeout,
      graceMs: settings.grace,
      maxStuckThreads: settings.maxStuckThreads,
      maxRssMb: settings.maxRss,
      onUnusable: () => onUnusable('too many threads are held by native code'),
    },
    records,
  );
  for (const warning of warnings) records.schemaWarning(warning);
  const missingEnv = missingNames(environment, index);
  const gate = new Gate(dispatch, {
    limit: Math.min(settings.maxConcurrency, settings.maxThreads * settings.callsPerWorker + settings.maxQueue),
    missingEnv: settings.envCheck === 'strict' ? missingEnv : [],
    lifecycle: () => ({ wantsTraffic: lifecycle.state === 'ready', takesCalls: lifecycle.state === 'ready' || lifecycle.state === 'leaving' }),
  });
  const invokeContext = { gate, records, artifactVersion: index.artifactVersion, maxBodyBytes: settings.maxBody, defaultTimeoutMs: settings.defaultTimeout };
  const answer = createRouter({
    gate,
    authenticator: new Authenticator(settings.token),
    info: JSON.stringify({ ...describePack(index), missingEnv }),
    invoke: (exchange) => invoke(exchange, invokeContext),
  });
  const server = await listen({ host: settings.host, port: settings.port, answer, onError: (error) => records.requestFailed(error) }).catch(async (error: unknown) => {
    await dispatch.close();
    throw error;
  });
  lifecycle.advance('ready');
  const profiles = parts.map(({ profile, threadPack }) => ({ ...profile, tools: threadPack.tools.length, checks: threadPack.checks.length }));
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
    const left = await dispatch.close();
    await server.close(flushMs);
    lifecycle.advance('stopped');
    records.stopped();
    return left;
  };
  return {
    url: `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`,
    address: { host: server.host, port: server.port },
    unusable,
    drain: () => (drained ??= drain()),
    close: () => (closed ??= close()),
  };
}
