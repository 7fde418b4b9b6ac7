import { availableParallelism } from 'node:os';
import type { Emit } from '../events/event-stream.js';
import { MemoryProbe } from '../isolation/memory-probe.js';
import { callsPerThread, type Profile } from '../isolation/profile.js';
import { BootError } from '../packs/boot-error.js';
import type { Pack, ProfiledPack } from '../packs/pack.js';
import { residentMb, Saturation } from './host/machine.js';
import { WorkerHost } from './host/worker-host.js';
import type { SessionTask } from './link/messages.js';
import { ThreadBudget } from './schedule/budget.js';
import { OwnedClock, systemClock } from './schedule/clock.js';
import { type Dispatch, Dispatcher, type ProfileScheduler } from './schedule/dispatcher.js';
import { LeavingThreads } from './schedule/leaving-threads.js';
import { Scheduler, type Shared } from './schedule/scheduler.js';

/** How many threads there may be and what they may do. Times in milliseconds, as the service's settings of these names. */
export interface ThreadSettings {
  /** Threads of the main profile that are kept warm. */
  readonly minThreads: number;
  /** Threads of all profiles and generations together. */
  readonly maxThreads: number;
  /** How many calls may share a thread, where their profile lets them. */
  readonly callsPerWorker: number;
  /** After so many calls a thread is replaced. */
  readonly maxCallsPerWorker: number;
  readonly idleTimeout: number;
  readonly bootTimeout: number;
  /** From a call's signal to the loss of its thread. */
  readonly grace: number;
  /** How many threads may be held by native code before the service is given up. */
  readonly maxStuckThreads: number;
  /** Resident memory, in MiB, above which threads are replaced one by one. */
  readonly maxRss: number;
}

/** What a command that loads a pack without serving it needs: threads that come once and go with it. */
export const settingsOfACommand: ThreadSettings = {
  minThreads: 1,
  maxThreads: 1,
  callsPerWorker: 1,
  maxCallsPerWorker: Infinity,
  idleTimeout: 60_000,
  bootTimeout: 30_000,
  grace: 100,
  maxStuckThreads: Infinity,
  maxRss: Infinity,
};

/** A version of a pack, and what its code gets. */
export interface ThreadsOfPack {
  readonly pack: Pick<Pack, 'parts' | 'schemas'>;
  readonly artifactVersion: string;
  /** What pack code gets as `process.env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: SessionTask['log'];
}

/** The threads of a whole service, whichever generation of its pack they run: how many there may be, and which of them native code holds. */
export class ServiceThreads {
  readonly #settings: ThreadSettings;
  readonly #emit: Emit;
  readonly #clock = new OwnedClock(systemClock);
  readonly #budget: ThreadBudget;
  readonly #leaving: LeavingThreads;
  readonly #saturation = new Saturation();

  /** `onUnusable` is called when native code holds too many threads: the process must be restarted by whoever supervises it. */
  constructor(settings: ThreadSettings, emit: Emit, onUnusable: () => void = () => {}) {
    this.#settings = settings;
    this.#emit = emit;
    this.#budget = new ThreadBudget(settings.maxThreads);
    this.#leaving = new LeavingThreads(this.#clock, (count) => {
      emit({ kind: 'threads-stuck', count, allowed: settings.maxStuckThreads });
      if (count > settings.maxStuckThreads) onUnusable();
    });
  }

  /**
   * Starts threads that load a pack, and tries every profile once; `signal` gives the start up. Throws BootError with
   * all problems of a pack that cannot be loaded.
   */
  async start(threads: ThreadsOfPack, signal?: AbortSignal): Promise<Dispatch> {
    const { pack } = threads;
    const compiled = pack.schemas.compile();
    const dispatcher = this.#dispatcherOf(threads, compiled.then(({ codes }) => codes));
    const giveUp = (): void => dispatcher.giveUp();
    signal?.addEventListener('abort', giveUp);
    try {
      const [unloadable, { problems: uncompilable }] = await Promise.all([dispatcher.boot(), compiled]);
      const problems = [...uncompilable, ...unloadable];
      if (problems.length === 0 && signal?.aborted !== true) return dispatcher;
      throw new BootError(problems);
    } catch (error) {
      await dispatcher.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** No thread is watched any more; to be called once every dispatch is closed. */
  close(): void {
    this.#clock.close();
  }

  #dispatcherOf({ pack: { parts }, artifactVersion, environment, log }: ThreadsOfPack, validators: Promise<readonly string[]>): Dispatcher {
    const settings = this.#settings;
    const probe = parts.some(({ profile }) => profile.memMB !== undefined) ? new MemoryProbe() : undefined;
    const shared: Shared & { readonly turn: { isUpcoming: boolean } } = {
      clock: systemClock,
      emit: this.#emit,
      budget: this.#budget,
      leaving: this.#leaving,
      turn: { isUpcoming: this.#budget.isInUse },
    };
    const schedulerOf = (part: ProfiledPack, keepWarm: 'always' | 'after-use'): ProfileScheduler => {
      const { profile, threadPack } = part;
      const options = { ...schedulerSettings(profile, keepWarm, settings), profile, artifactVersion, keepWarm, processors: availableParallelism(), isSaturated: () => this.#saturation.isFull };
      const rules = { checksCleanliness: profile.sandbox === 'context-isolated', memMB: profile.memMB, network: profile.network, callsAtOnce: options.callsPerWorker };
      const host = new WorkerHost({ pack: threadPack, validators: validators.then((codes) => codesOf(part, codes)), rules, environment, log, probe });
      return { scheduler: new Scheduler(host, options, shared), tools: threadPack.tools, checks: threadPack.checks };
    };
    const [first, ...others] = parts;
    const profiles = [schedulerOf(first, 'always'), ...others.map((part) => schedulerOf(part, 'after-use'))] as const;
    return new Dispatcher(profiles, { ...settings, rssMb: residentMb, onClosed: () => probe?.close() }, shared);
  }
}

/** The codes that the entries of one profile name, in their places: where each call has a thread of its own, each such thread is sent them. */
function codesOf({ threadPack: { tools, checks } }: ProfiledPack, codes: readonly string[]): readonly string[] {
  const places = new Set<number | undefined>(tools.flatMap(({ inputValidator, outputValidator }) => [inputValidator, outputValidator]));
  for (const check of checks) if (check.kind !== 'combined') places.add(check.configValidator);
  return codes.map((code, place) => (places.has(place) ? code : ''));
}

function schedulerSettings(profile: Profile, keepWarm: 'always' | 'after-use', settings: ThreadSettings): ThreadSettings {
  const isStrict = profile.sandbox === 'strict';
  return {
    ...settings,
    // Strict calls use their threads up, so that several are kept ahead of them.
    minThreads: keepWarm === 'always' || isStrict ? settings.minThreads : 1,
    callsPerWorker: callsPerThread(profile, settings.callsPerWorker),
    maxCallsPerWorker: isStrict ? 1 : settings.maxCallsPerWorker,
  };
}
