import { setTimeout as sleep } from 'node:timers/promises';
import { Calls } from '../calls/calls.js';
import { Gate } from '../calls/gate.js';
import type { EventStream } from '../events/event-stream.js';
import { Authenticator } from '../fronts/http/authenticate.js';
import { invoke } from '../fronts/http/invoke.js';
import { createRouter } from '../fronts/http/routes.js';
import { type HttpServer, listen } from '../fronts/http/server.js';
import type { LogFormat } from '../logging/log-levels.js';
import type { Environment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { ServiceThreads } from '../threads/service-threads.js';
import { startGeneration } from './generation.js';
import { Generations, type Reload } from './generations.js';
import { openJournal } from './journal.js';
import { Lifecycle } from './lifecycle.js';
import type { Settings } from './settings.js';
import { UndoStack } from './undo-stack.js';

/** A running pack service. */
export interface PackService {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves with the reason when the service cannot go on, and its process should be restarted. */
  readonly unusable: Promise<string>;
  /**
   * Reads the pack again, has threads load it, then hands them the calls that come; those in flight end where
   * they are. Never rejects: for a pack that cannot be served it returns the problems, and the old one goes on.
   */
  reload(): Promise<Reload>;
  /** Stops taking calls and resolves when those in flight are over, or the drain timeout has passed. */
  drain(): Promise<void>;
  /**
   * Drains, ends what is left, and closes every thread and connection. May be called twice. Returns
   * how many threads native code keeps from ending: with one of those, the process ends only by a kill.
   */
  close(): Promise<{ readonly stuckThreads: number }>;
}

/** A pack service, and the index it goes by now. */
export interface PackHost extends PackService {
  readonly index: IndexFile;
}

/** How long responses under way may take to go out once all calls are over. */
const flushMs = 1_000;

/** What a service runs in. */
export interface ServiceSurroundings {
  /** What pack code may get of it is decided by the settings. */
  readonly environment: Environment;
  readonly events: EventStream;
  readonly logFormat: LogFormat;
  /** Which to go by in a folder that has both an index.json and sources; `index` by default. */
  readonly prefer?: 'index' | 'sources';
}

/**
 * Builds the service's parts in order and starts to listen; what a start that fails has built is taken down again.
 * Throws BootError when the pack cannot be served, and what `listen` throws when the address cannot be had.
 */
export async function startService(settings: Settings, { environment, events, logFormat, prefer = 'index' }: ServiceSurroundings): Promise<PackHost> {
  const undo = new UndoStack();
  try {
    const lifecycle = new Lifecycle();
    let onUnusable: (reason: string) => void = () => {};
    const unusable = new Promise<string>((resolve) => (onUnusable = resolve));
    const journal = await openJournal(settings, events);
    if (journal !== undefined) {
      undo.push(() => journal.close());
      undo.push(events.observe(journal.observer));
    }
    const threads = new ServiceThreads(settings, events.emit, () => onUnusable('too many threads are held by native code'));
    undo.push(() => threads.close());
    const options = { settings, environment, logFormat, prefer, threads };
    const generations = new Generations(await startGeneration(options), (replaces, signal) => startGeneration(options, { replaces, signal }), events);
    undo.push(() => generations.close());
    const gate = new Gate(generations, {
      limit: Math.min(settings.maxConcurrency, settings.maxThreads * settings.callsPerWorker + settings.maxQueue),
      missingEnv: () => (settings.envCheck === 'strict' ? generations.generation.missingEnv : []),
      isHeldUp: () => settings.journalRequired === 'yes' && journal?.isWhole === false,
      lifecycle: () => ({ wantsTraffic: lifecycle.state === 'ready', takesCalls: lifecycle.state === 'ready' || lifecycle.state === 'leaving' }),
    });
    const server = await listenForCalls(settings, new Calls(gate, generations, events), generations, events);
    lifecycle.advance('ready');
    const { index, profiles } = generations.generation;
    events.emit({ kind: 'listening', port: server.port, packId: index.packId, artifactVersion: index.artifactVersion, profiles });
    return hostOf({ settings, events, lifecycle, generations, threads, gate, journal, server, unusable });
  } catch (error) {
    await undo.run();
    throw error;
  }
}

function listenForCalls(settings: Settings, calls: Calls, generations: Generations, { emit }: EventStream): Promise<HttpServer> {
  const artifactVersion = (): string => generations.generation.index.artifactVersion;
  const context = { calls, artifactVersion, maxBodyBytes: settings.maxBody, defaultTimeoutMs: settings.defaultTimeout };
  const respond = createRouter({
    calls,
    authenticator: new Authenticator(settings.token),
    info: () => generations.generation.info,
    invoke: (exchange) => invoke(exchange, context),
  });
  return listen({ host: settings.host, port: settings.port, respond, onError: (error) => emit({ kind: 'request-failed', error }) });
}

interface ServiceParts {
  readonly settings: Settings;
  readonly events: EventStream;
  readonly lifecycle: Lifecycle;
  readonly generations: Generations;
  readonly threads: ServiceThreads;
  readonly gate: Gate;
  readonly journal: Awaited<ReturnType<typeof openJournal>>;
  readonly server: HttpServer;
  readonly unusable: Promise<string>;
}

function hostOf({ settings, events, lifecycle, generations, threads, gate, journal, server, unusable }: ServiceParts): PackHost {
  let drained: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    events.emit({ kind: 'draining' });
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
    threads.close();
    lifecycle.advance('stopped');
    events.emit({ kind: 'stopped' });
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
