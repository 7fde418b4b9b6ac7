import type { Emit } from '../../events/event-stream.js';
import type { ThreadEnd, ThreadHost } from '../host/thread-host.js';
import { BackOff } from './back-off.js';
import { Boot, type Booted } from './boot.js';
import type { Clock, Timer } from './clock.js';
import { Thread, type ThreadEvents } from './thread.js';

/** How many threads there may be, and when. Times in milliseconds. */
export interface GrowthOptions {
  /** Threads kept warm. */
  readonly minThreads: number;
  /** `always`, or from the first call on until none has come for the idle timeout. */
  readonly keepWarm: 'always' | 'after-use';
  /** A thread above the minimum that had nothing to do for so long is ended. */
  readonly idleTimeout: number;
  /** A thread that has not loaded the pack after so long is given up. */
  readonly bootTimeout: number;
  /** After so many calls a thread is replaced. */
  readonly maxCallsPerWorker: number;
  /** How many threads can run at once: more that load together would only slow each other, and the calls that run. */
  readonly processors: number;
  /** Whether the machine has no time left that one more thread could use. */
  isSaturated(): boolean;
}

/** Whether there are threads: serving, about to, or failing again and again to start. */
export type Health =
  | { readonly kind: 'serving' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'failing'; readonly problems: readonly string[] };

/** What growth needs to know of the calls, and tells of the threads. */
export interface GrowthHooks {
  /** When the call that has waited longest came; undefined when none waits. */
  oldestWaiting(): number | undefined;
  /** A thread has become able to take calls. */
  onServing(): void;
  /** Whether the budget that all schedulers share has room for one more thread. */
  mayStart(): boolean;
  /** A thread could not be started, and others may not be either. */
  onFailing(): void;
}

/** Calls are looked at so often while they wait. */
const growCheckMs = 10;
/** A call that waits so long asks for one more thread: soon where no thread moves, later where the queue moves, last where one more would only make the others slower. */
const growAfterMs = { stalled: 10, moving: 50, saturated: 500 };
/** The queue moves if a thread has finished a call within so long; on a saturated machine that happens more rarely. */
const movesWithinMs = { spare: 10, saturated: 100 };

/**
 * Keeps a scheduler's number of threads between its minimum and what the shared budget allows: replaces those that
 * end, adds one while calls wait, ends those that are idle. When a thread cannot start, one at a time is tried ever
 * more rarely, the others go on, and while none serves the scheduler says that it fails.
 */
export class Growth {
  readonly threads = new Set<Thread>();
  readonly #host: ThreadHost;
  readonly #options: GrowthOptions;
  readonly #clock: Clock;
  readonly #emit: Emit;
  readonly #events: ThreadEvents;
  readonly #hooks: GrowthHooks;
  readonly #backOff: BackOff;
  /** Until the first threads are there. */
  #boot: Boot | undefined;
  readonly #bootTimers = new Map<Thread, Timer>();
  /** Threads that were given up since they loaded for too long. */
  readonly #late = new Set<Thread>();
  #growTimer: Timer | undefined;
  #closed = false;
  #isRetired = false;
  #usedAt = -Infinity;

  constructor(host: ThreadHost, options: GrowthOptions, clock: Clock, emit: Emit, events: ThreadEvents, hooks: GrowthHooks) {
    this.#host = host;
    this.#options = options;
    this.#clock = clock;
    this.#emit = emit;
    this.#events = events;
    this.#hooks = hooks;
    this.#backOff = new BackOff(clock, () => this.#tryAgain());
    this.#endIdleLater();
  }

  /** Whether its generation only finishes what it has. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  get health(): Health {
    for (const thread of this.threads) if (thread.state === 'serving' || thread.state === 'spent') return { kind: 'serving' };
    const { problems } = this.#backOff;
    return problems === undefined ? { kind: 'starting' } : { kind: 'failing', problems };
  }

  /** Starts the first threads; returns the problems of a pack that they cannot load, or why there is no thread to be had. */
  boot(count: number): Promise<readonly string[]> {
    return new Promise((resolve) => {
      const done = ({ problems, missing }: Booted): void => {
        this.#boot = undefined;
        resolve(problems);
        if (problems.length > 0 || this.#closed) return;
        if (missing !== undefined) this.#onFailed(undefined, [`Not all worker threads could be started: ${missing}`]);
        this.fill();
        this.#hooks.onServing();
      };
      this.#boot = new Boot(this.#clock, () => this.#start(), done);
      this.#boot.attempt(count);
    });
  }

  /** A call has come: threads are to be warm. */
  use(): void {
    this.#usedAt = this.#clock.now();
    this.fill();
  }

  /** Starts what is missing of the threads kept warm. */
  fill(): void {
    while (this.#mayStart() && this.#lasting() < this.#target() && this.#hooks.mayStart()) this.#start();
  }

  /** Ends a thread that is idle, one that does not respond first; returns whether there was one. */
  endOneIdle(): boolean {
    const idle = [...this.threads].filter((thread) => thread.state === 'serving' && thread.calls.length === 0);
    const [thread] = idle.sort((a, b) => Number(a.isAwake) - Number(b.isAwake));
    if (thread === undefined) return false;
    thread.state = 'spent';
    thread.terminate();
    return true;
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
    this.#growTimer ??= this.#clock.after(growCheckMs, () => {
      this.#growTimer = undefined;
      const waitingSince = this.#hooks.oldestWaiting();
      if (waitingSince === undefined) return;
      const now = this.#clock.now();
      if (now - waitingSince >= this.#patienceMs(now) && this.#mayStart() && this.#loading() < this.#options.processors && this.#hooks.mayStart()) {
        this.#start();
      }
      this.grow();
    });
  }

  /** A thread has loaded the pack. */
  onReady(thread: Thread): void {
    this.#stopWaitingFor(thread);
    this.#emit({ kind: 'thread-started', loadedInMs: Math.round(this.#clock.now() - thread.startedAt) });
    if (this.#boot !== undefined) return this.#boot.onReady();
    this.#backOff.onSuccess(thread);
    this.fill();
    this.#hooks.onServing();
  }

  /** A thread cannot load the pack. */
  onLoadFailed(thread: Thread, problems: readonly string[]): void {
    this.#stopWaitingFor(thread);
    this.threads.delete(thread);
    thread.terminate();
    if (this.#boot !== undefined) return this.#boot.onUnloadable(problems);
    this.#onFailed(thread, problems);
  }

  /** A thread has ended: another takes its place if there are too few. */
  onEnded(thread: Thread, end: ThreadEnd): void {
    this.#stopWaitingFor(thread);
    if (!this.threads.delete(thread) || this.#closed) return;
    if (thread.hasServed) return this.fill();
    if (end.kind === 'not-started') {
      if (this.#boot !== undefined) this.#boot.onNotStarted(end.reason);
      else this.#onFailed(thread, [`No worker thread could be started: ${end.reason}`]);
      return;
    }
    const problems = [this.#whyNotLoaded(thread, end)];
    if (this.#boot !== undefined) this.#boot.onUnloadable(problems);
    else this.#onFailed(thread, problems);
  }

  /** Starts no further thread and ends all there are. */
  close(): void {
    this.#closed = true;
    this.#boot?.giveUp();
    for (const thread of this.threads) thread.terminate();
  }

  #start(): Thread {
    const thread = new Thread(this.#host, this.#clock, this.#events);
    this.threads.add(thread);
    const giveUp = (): void => {
      this.#late.add(thread);
      thread.terminate();
    };
    this.#bootTimers.set(thread, this.#clock.after(this.#options.bootTimeout, giveUp));
    return thread;
  }

  #stopWaitingFor(thread: Thread): void {
    this.#bootTimers.get(thread)?.cancel();
    this.#bootTimers.delete(thread);
  }

  #whyNotLoaded(thread: Thread, end: ThreadEnd): string {
    const isLate = this.#late.delete(thread);
    const reason = end.kind === 'died' ? end.cause.message : end.kind === 'not-started' ? end.reason : 'it was terminated';
    const how = isLate ? `did not finish loading within ${this.#options.bootTimeout} ms` : `ended its thread while it loaded: ${reason}`;
    return `${thread.loading ?? 'A worker thread'} ${how}`;
  }

  /** `thread`: the one that failed; undefined at the end of a boot that got fewer threads than it wanted. */
  #onFailed(thread: Thread | undefined, problems: readonly string[]): void {
    if (this.#closed) return;
    const retryInMs = this.#backOff.onFailure(thread, problems);
    if (retryInMs !== undefined) this.#emit({ kind: 'thread-failed', problems, retryInMs });
    this.#hooks.onFailing();
  }

  /** One attempt after a failure; returns the thread that makes it. Undefined when there is none to make. */
  #tryAgain(): Thread | undefined {
    if (this.#closed || (this.#isRetired && this.#hooks.oldestWaiting() === undefined)) return undefined;
    return this.#hooks.mayStart() ? this.#start() : undefined;
  }

  #mayStart(): boolean {
    return !this.#closed && this.#boot === undefined && this.#backOff.problems === undefined;
  }

  #patienceMs(now: number): number {
    const isSaturated = this.#options.isSaturated();
    const sinceMoveMs = now - this.#lastMovedAt();
    if (sinceMoveMs > (isSaturated ? movesWithinMs.saturated : movesWithinMs.spare)) return growAfterMs.stalled;
    return isSaturated ? growAfterMs.saturated : growAfterMs.moving;
  }

  #lastMovedAt(): number {
    let last = -Infinity;
    for (const thread of this.threads) if (thread.hasServed) last = Math.max(last, thread.movedAt);
    return last;
  }

  /** How many threads serve or are about to; a loop, since `use` asks at every call. */
  #lasting(): number {
    const { maxCallsPerWorker } = this.#options;
    let count = 0;
    for (const thread of this.threads) {
      if (thread.state === 'loading' || (thread.state === 'serving' && !thread.isLingering && thread.served < maxCallsPerWorker)) count++;
    }
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
    const inUse = this.#options.keepWarm === 'always' || this.#clock.now() - this.#usedAt < this.#options.idleTimeout;
    return inUse ? this.#options.minThreads : 0;
  }

  #endIdleLater(): void {
    this.#clock.after(Math.max(10, this.#options.idleTimeout / 2), () => {
      this.#endIdle();
      this.#endIdleLater();
    });
  }

  #endIdle(): void {
    const idleSince = this.#clock.now() - this.#options.idleTimeout;
    for (const thread of this.threads) {
      if (this.#lasting() <= this.#target()) return;
      if (thread.state !== 'serving' || thread.calls.length > 0 || thread.movedAt > idleSince) continue;
      thread.state = 'spent';
      thread.terminate();
    }
  }
}
