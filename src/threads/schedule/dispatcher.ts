import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryProbe } from '../../isolation/memory-probe.js';
import { callsPerThread, type Profile } from '../../isolation/profile.js';
import type { Records } from '../../logging/records.js';
import { BootError } from '../../packs/boot-error.js';
import type { Pack, ProfiledPack } from '../../packs/pack.js';
import type { LogFormat, LogLevel } from '../../logging/log-levels.js';
import type { CallRequest, PendingCall } from './call.js';
import { HostThreads, type HostThreadsOptions } from './host-threads.js';
import { MemoryPressure } from './memory-pressure.js';
import { ProfilePool } from './scheduler.js';
import type { Health } from './growth.js';

/** A call in, an outcome out: all that the rest of the service knows of threads. */
export interface Dispatch {
  readonly health: Health;
  run(request: CallRequest): PendingCall;
  /** No call comes any more: lets those it has finish, its threads end as they do, and closes. */
  retire(): Promise<void>;
  /** Calls come to it from now on: its threads are no more its own than those of others. */
  takeOver(): void;
  /** Ends every call as cancelled, every thread once its handlers have settled or had their grace; answers how many threads would not end. */
  close(): Promise<{ readonly stuckThreads: number }>;
}

/** Which dispatch takes the calls that come now: another one after each reload. */
export interface CurrentDispatch {
  readonly current: Dispatch;
}

/** Times in milliseconds. */
export interface DispatchOptions extends HostThreadsOptions {
  /** Of the pack that is served. */
  readonly artifactVersion: string;
  /** What pack code gets as `process.env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  readonly minThreads: number;
  /** How many calls may share a thread, where their profile lets them. */
  readonly callsPerWorker: number;
  /** After so many calls a thread is replaced. */
  readonly maxCallsPerWorker: number;
  readonly idleTimeoutMs: number;
  readonly bootTimeoutMs: number;
  /** From a call's signal to the loss of its thread. */
  readonly graceMs: number;
  /** Resident memory, in MiB, above which threads are replaced one by one; Infinity for never. */
  readonly maxRssMb: number;
}

/** How long `close` waits for threads that native code keeps from ending. */
const closeWaitMs = 2_000;

/**
 * Starts the threads and tries every profile once; throws BootError with all problems of a pack that cannot be
 * loaded. `host` is shared with the dispatches of other generations; `signal` gives the start up.
 */
export async function startDispatch(
  { parts, schemas }: Pick<Pack, 'parts' | 'schemas'>,
  options: DispatchOptions,
  records: Records,
  host = new HostThreads(options, records),
  signal?: AbortSignal,
): Promise<Dispatch> {
  const compiled = schemas.compile();
  const dispatcher = new Dispatcher(parts, compiled.then(({ codes }) => codes), options, host, records);
  signal?.addEventListener('abort', () => void dispatcher.close());
  const [unloadable, { problems: uncompilable }] = await Promise.all([dispatcher.boot(), compiled]);
  const problems = [...uncompilable, ...unloadable];
  if (problems.length === 0 && signal?.aborted !== true) return dispatcher;
  await dispatcher.close();
  throw new BootError(problems);
}

/** Sends each call to the pool of its profile. */
class Dispatcher implements Dispatch {
  readonly #options: DispatchOptions;
  /** That of the most entries first; it also takes what is for no entry at all. */
  readonly #pools: readonly [ProfilePool, ...ProfilePool[]];
  readonly #host: HostThreads;
  /** Until it takes over, a generation beside another keeps the threads that it was warmed up with. */
  readonly #turn: { isUpcoming: boolean };
  readonly #pressure: MemoryPressure;
  readonly #probe: MemoryProbe | undefined;
  readonly #byTool = new Map<string, { readonly version: string | undefined; readonly pool: ProfilePool }[]>();
  readonly #byCheck = new Map<string, ProfilePool>();
  #closed: Promise<{ readonly stuckThreads: number }> | undefined;

  constructor([first, ...others]: Pack['parts'], validators: Promise<readonly string[]>, options: DispatchOptions, host: HostThreads, records: Records) {
    this.#options = options;
    this.#host = host;
    const parts = [first, ...others];
    this.#probe = parts.some((part) => part.profile.memMB !== undefined) ? new MemoryProbe() : undefined;
    this.#turn = { isUpcoming: host.budget.isInUse };
    const shared = { budget: host.budget, stuck: host.stuck, probe: this.#probe, turn: this.#turn };
    const poolOf = (part: ProfiledPack, keepWarm: 'always' | 'after-use'): ProfilePool => {
      const pool = new ProfilePool(part, profileOptions(part.profile, keepWarm, options), { ...shared, validators: validators.then((codes) => codesOf(part, codes)) }, records);
      for (const { id, version } of part.threadPack.tools) this.#byTool.set(id, [...(this.#byTool.get(id) ?? []), { version, pool }]);
      for (const { id } of part.threadPack.checks) this.#byCheck.set(id, pool);
      return pool;
    };
    this.#pools = [poolOf(first, 'always'), ...others.map((part) => poolOf(part, 'after-use'))];
    this.#pressure = new MemoryPressure(options.maxRssMb, this.#pools, records);
  }

  get health(): Health {
    const { stuck } = this.#host;
    if (stuck.count > this.#options.maxStuckThreads) return { kind: 'failing', problems: [`${stuck.count} threads are held by native code`] };
    return this.#pools[0].health;
  }

  /** Answers every problem found. */
  async boot(): Promise<readonly string[]> {
    const [first, ...others] = this.#pools;
    const problems = await Promise.all([first.boot(this.#options.minThreads), ...others.map((pool) => pool.boot(1))]);
    // The threads were needed to know that the modules load; beyond the maximum they may not stay.
    for (const pool of others) if (this.#host.budget.isExceeded()) pool.giveUp();
    return [...new Set(problems.flat())];
  }

  takeOver(): void {
    this.#turn.isUpcoming = false;
  }

  run(request: CallRequest): PendingCall {
    return this.#poolOf(request).run(request);
  }

  async retire(): Promise<void> {
    this.#pressure.close();
    for (const pool of this.#pools) pool.retire();
    await Promise.all(this.#pools.map((pool) => pool.idle()));
    await this.close();
  }

  close(): Promise<{ readonly stuckThreads: number }> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<{ readonly stuckThreads: number }> {
    this.#pressure.close();
    this.#probe?.close();
    for (const pool of this.#pools) pool.endCalls();
    const settled = Promise.all(this.#pools.map((pool) => pool.idle()));
    await Promise.race([settled, sleep(this.#options.graceMs, undefined, { ref: false })]);
    const threads = new Set([...this.#pools.flatMap((pool) => pool.endThreads()), ...this.#host.stuck.leaving]);
    let stuckThreads = threads.size;
    const allGone = Promise.all([...threads].map((thread) => thread.gone.then(() => stuckThreads--)));
    // Not before the last thread is gone: it would wait for it.
    const closed = allGone.then(() => Promise.all(this.#pools.map((pool) => pool.close())));
    await Promise.race([closed, sleep(closeWaitMs, undefined, { ref: false })]);
    return { stuckThreads };
  }

  #poolOf({ tags, version }: CallRequest): ProfilePool {
    if (tags.checkId !== undefined) return this.#byCheck.get(tags.checkId) ?? this.#pools[0];
    const versions = tags.toolId === undefined ? undefined : this.#byTool.get(tags.toolId);
    return (versions?.find((tool) => tool.version === version) ?? versions?.[0])?.pool ?? this.#pools[0];
  }
}

/** The codes that the entries of one profile name, in their places: where each call has a thread of its own, each such thread is sent them. */
function codesOf({ threadPack: { tools, checks } }: ProfiledPack, codes: readonly string[]): readonly string[] {
  const places = new Set<number | undefined>(tools.flatMap(({ inputValidator, outputValidator }) => [inputValidator, outputValidator]));
  for (const check of checks) if (check.kind !== 'combined') places.add(check.configValidator);
  return codes.map((code, place) => (places.has(place) ? code : ''));
}

function profileOptions(profile: Profile, keepWarm: 'always' | 'after-use', options: DispatchOptions): ConstructorParameters<typeof ProfilePool>[1] {
  const isStrict = profile.sandbox === 'strict';
  return {
    ...options,
    keepWarm,
    // Strict calls use their threads up, so that several are kept ahead of them.
    minThreads: keepWarm === 'always' || isStrict ? options.minThreads : 1,
    callsPerWorker: callsPerThread(profile, options.callsPerWorker),
    maxCallsPerWorker: isStrict ? 1 : options.maxCallsPerWorker,
  };
}
