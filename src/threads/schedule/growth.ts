import { availableParallelism } from 'node:os';
import type { Records } from '../../logging/records.js';
import { usersOf } from '../link/thread-pack.js';
import type { ThreadPack } from '../link/thread-pack.js';
import type { Pool } from '../host/worker-host.js';
import { Saturation } from '../host/saturation.js';
import { Thread, type ThreadEvents, type ThreadStart } from './thread.js';

/** How many threads there may be, and when. */
export interface ScalingOptions {
  /** Threads kept warm. */
  readonly minThreads: number;
  /** `always`, or from the first call on until none has come for the idle timeout. */
  readonly keepWarm: 'always' | 'after-use';
  /** A thread above the minimum that had nothing to do for so long is ended. */
  readonly idleTimeoutMs: number;
  /** A thread that has not loaded the pack after so long is given up. */
  readonly bootTimeoutMs: number;
}

/** Whether there are threads: serving, about to, or failing again and again to start. */
export type Health = { readonly kind: 'serving' } | { readonly kind: 'starting' } | { readonly kind: 'failing'; readonly problems: readonly string[] };

/** What scaling needs to know of the calls, and tells of the threads. */
export interface ScalingHooks {
  /** When the call that has waited longest came, in `performance.now()` milliseconds; undefined when none waits. */
  oldestWaiting(): number | undefined;
  /** A thread has become able to take calls. */
  onServing(): void;
  /** Whether the budget that all pools share has room for one more thread. */
  mayStart(): boolean;
  /** A thread could not be started, and others may not be either. */
  onFailing(): void;
}

/** Calls are looked at so often while they wait. */
const growCheckMs = 10;
/** A call that waits so long asks for one more thread: soon where none answers, later where the queue moves, last where one more would only make the others slower. */
const growAfterMs = { stalled: 10, moving: 50, saturated: 500 };
/** The queue moves if a thread has answered within so long; on a saturated machine answers come more rarely. */
const movesWithinMs = { spare: 10, saturated: 100 };
/** Threads that load at once: more than the cores would only slow each other, and the calls that run. */
const maxLoading = availableParallelism();
const firstRetryMs = 100;
const longestRetryMs = 30_000;

/**
 * Keeps a pool's number of threads between its minimum and what the shared budget allows: replaces those that end, adds one
 * while calls wait, ends those that idle. A thread that cannot start is tried again ever more
 * rarely, and while none serves the pool says that it fails.
 */
export class Scaling {
  readonly threads = new Set<Thread>();
  readonly #pool: Pool;
  readonly #pack: ThreadPack;
  readonly #options: ScalingOptions;
  readonly #records: Records;
  readonly #events: ThreadEvents;
  readonly #hooks: ScalingHooks;
  readonly #saturation = new Saturation();
  readonly #idleTimer: NodeJS.Timeout;
  #growTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #problems: readonly string[] = [];
  #closed = false;
  #isRetired = false;
  #usedAt = -Infinity;

  constructor(pool: Pool, pack: ThreadPack, options: ScalingOptions, records: Records, events: ThreadEvents, hooks: ScalingHooks) {
    this.#pool = pool;
    this.#pack = pack;
    this.#options = options;
    this.#records = records;
    this.#events = events;
    this.#hooks = hooks;
    this.#idleTimer = setInterval(() => this.#endIdle(), Math.max(10, options.idleTimeoutMs / 2)).unref();
  }

  /** Whether its generation only finishes what it has. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  get health(): Health {
    for (const thread of this.threads) if (thread.state === 'serving' || thread.state === 'spent') return { kind: 'serving' };
    return this.#problems.length > 0 ? { kind: 'failing', problems: this.#problems } : { kind: 'starting' };
  }

  /** Starts the first threads; answers the problems of one that cannot load the pack. */
  async boot(count: number): Promise<readonly string[]> {
    const starts = await Promise.all(Array.from({ length: count }, () => this.#start()));
    for (const start of starts) if (start.kind === 'failed') return start.problems;
    return [];
  }

  /** A call has come: the pool is to be warm. */
  use(): void {
    this.#usedAt = performance.now();
    this.fill();
  }

  /** Starts what is missing of the threads kept warm. */
  fill(): void {
    while (!this.#closed && this.#problems.length === 0 && this.#lasting() < this.#target() && this.#hooks.mayStart()) void this.#add();
  }

  /** Ends a thread that idles; answers whether there was one. */
  endOneIdle(): boolean {
    for (const thread of this.threads) {
      if (thread.state !== 'serving' || thread.calls.length > 0) continue;
      thread.state = 'spent';
      thread.terminate();
      return true;
    }
    return false;
  }

  /** Keeps no thread warm from now on; calls that wait still get theirs. */
  retire(): void {
    this.#isRetired = true;
    this.endAllIdle();
  }

  endAllIdle(): void {
    while (this.endOneIdle());
  }

  /** Calls wait: adds threads while they go on to. */
  grow(): void {
    this.#growTimer ??= setTimeout(() => {
      this.#growTimer = undefined;
      const waitingSince = this.#hooks.oldestWaiting();
      if (waitingSince === undefined) return;
      const now = performance.now();
      if (now - waitingSince >= this.#patienceMs(now) && this.#mayAdd()) void this.#add();
      this.grow();
    }, growCheckMs);
  }

  /** A thread has ended: another takes its place if there are too few. */
  onEnded(thread: Thread): void {
    this.threads.delete(thread);
    if (thread.hasServed) this.fill();
  }

  /** Starts no further thread and ends all there are. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#idleTimer);
    clearTimeout(this.#growTimer);
    clearTimeout(this.#retryTimer);
    for (const thread of this.threads) thread.terminate();
  }

  async #add(): Promise<void> {
    const start = await this.#start();
    if (this.#closed) return;
    if (start.kind === 'failed') return this.#retryLater(start.problems);
    this.#failures = 0;
    this.#problems = [];
    this.fill();
    this.#hooks.onServing();
  }

  async #start(): Promise<ThreadStart> {
    const thread = new Thread(this.#pool.start(), this.#events);
    this.threads.add(thread);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      thread.terminate();
    }, this.#options.bootTimeoutMs);
    const start = await thread.started;
    clearTimeout(timer);
    if (start.kind === 'ready') return start;
    thread.terminate();
    if (start.kind === 'failed') return start;
    const how = timedOut ? `did not finish loading within ${this.#options.bootTimeoutMs} ms` : `ended its thread while it loaded: ${start.message}`;
    const module = this.#pack.modules[thread.progress - 1];
    return { kind: 'failed', problems: [module ? `${usersOf(this.#pack, module.modulePath)}: module ${module.modulePath} ${how}` : `A worker thread ${how}`] };
  }

  #retryLater(problems: readonly string[]): void {
    this.#problems = problems;
    this.#records.threadFailed(problems);
    const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures++;
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = undefined;
      void this.#add();
    }, delayMs);
    this.#hooks.onFailing();
  }

  #mayAdd(): boolean {
    return !this.#closed && this.#problems.length === 0 && this.#loading() < maxLoading && this.#hooks.mayStart();
  }

  #patienceMs(now: number): number {
    const isSaturated = this.#saturation.isFull;
    const answeredMs = now - this.#lastAnsweredAt();
    if (answeredMs > (isSaturated ? movesWithinMs.saturated : movesWithinMs.spare)) return growAfterMs.stalled;
    return isSaturated ? growAfterMs.saturated : growAfterMs.moving;
  }

  #lastAnsweredAt(): number {
    let last = -Infinity;
    for (const thread of this.threads) if (thread.hasServed) last = Math.max(last, thread.movedAt);
    return last;
  }

  /** How many threads serve or are about to; a loop, since `use` asks at every call. */
  #lasting(): number {
    let count = 0;
    for (const thread of this.threads) if (thread.state === 'loading' || (thread.state === 'serving' && !thread.isLingering)) count++;
    return count;
  }

  #loading(): number {
    let count = 0;
    for (const thread of this.threads) if (thread.state === 'loading') count++;
    return count;
  }

  /** How many threads are to be there although nothing waits. */
  #target(): number {
    if (this.#isRetired) return 0;
    const inUse = this.#options.keepWarm === 'always' || performance.now() - this.#usedAt < this.#options.idleTimeoutMs;
    return inUse ? this.#options.minThreads : 0;
  }

  #endIdle(): void {
    const idleSince = performance.now() - this.#options.idleTimeoutMs;
    for (const thread of this.threads) {
      if (this.#lasting() <= this.#target()) return;
      if (thread.state !== 'serving' || thread.calls.length > 0 || thread.movedAt > idleSince) continue;
      thread.state = 'spent';
      thread.terminate();
    }
  }
}
