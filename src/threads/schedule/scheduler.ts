import type { Emit } from '../../events/event-stream.js';
import type { Profile } from '../../isolation/profile.js';
import type { CancelReason } from '../../protocol/errors.js';
import type { ThreadAnswer, ThreadEnd, ThreadFault, ThreadHost } from '../host/thread-host.js';
import type { BudgetMember, ThreadBudget } from './budget.js';
import { type CallOwner, type CallRequest, type PendingCall, ScheduledCall } from './call.js';
import { type ChoiceRules, chooseThread } from './choose-thread.js';
import { type Clock, OwnedClock, type Timer } from './clock.js';
import { Endings } from './endings.js';
import { GracePeriods } from './grace.js';
import { Growth, type GrowthOptions, type Health } from './growth.js';
import type { LeavingThreads } from './leaving-threads.js';
import { LimitWatch } from './limits.js';
import type { Replaceable } from './memory-pressure.js';
import { CallQueue } from './queue.js';
import { StallWatch } from './stall-watch.js';
import type { Thread, ThreadEvents } from './thread.js';

/** Times in milliseconds. */
export interface SchedulerOptions extends GrowthOptions {
  readonly profile: Profile;
  readonly artifactVersion: string;
  /** How many calls may share a thread; 1 gives each its thread to itself. */
  readonly callsPerWorker: number;
  /** From a call's signal to the loss of its thread. */
  readonly grace: number;
}

/** What schedulers share with others of their service. */
export interface Shared {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly budget: ThreadBudget;
  readonly leaving: LeavingThreads;
  /** Whether their generation has yet to take over from another. */
  readonly turn: { readonly isUpcoming: boolean };
}

/** A handler that has heard its signal settles within so long, mostly. */
const replaceAfterMs = 10;

/**
 * The calls and threads of one isolation profile: gives each call to a thread that has room, first come, first served,
 * and sees it through. It sees handles and a clock, so that all of it can be tried without a thread.
 */
export class Scheduler implements ThreadEvents, BudgetMember, Replaceable, CallOwner {
  readonly artifactVersion: string;
  readonly #options: SchedulerOptions;
  readonly #shared: Shared;
  readonly #clock: OwnedClock;
  readonly #choice: ChoiceRules;
  readonly #growth: Growth;
  readonly #grace: GracePeriods;
  readonly #endings: Endings;
  readonly #stalls: StallWatch;
  readonly #limits: LimitWatch | undefined;
  readonly #queue = new CallQueue();
  readonly #whenIdle: (() => void)[] = [];
  #replaceTimer: Timer | undefined;
  /** The next thread that finishes its call goes: another scheduler is due it. */
  #releasesNextFree = false;

  constructor(host: ThreadHost, options: SchedulerOptions, shared: Shared) {
    const { profile, callsPerWorker, maxCallsPerWorker, processors } = options;
    this.artifactVersion = options.artifactVersion;
    this.#options = options;
    this.#shared = shared;
    this.#clock = new OwnedClock(shared.clock);
    this.#growth = new Growth(host, options, this.#clock, shared.emit, this, {
      oldestWaiting: () => this.#queue.oldestArrival,
      mayStart: () => shared.budget.allows(this),
      onServing: () => this.#assign(),
      onFailing: () => this.#refuseWaiting(),
    });
    this.#grace = new GracePeriods(options.grace, this.#clock, (thread, call) => this.#endings.lose(thread, call));
    this.#endings = new Endings(options, this.#grace, shared.emit, {
      putBack: (calls) => this.#requeue(calls),
      refill: () => this.#refill(),
    });
    this.#stalls = new StallWatch(this.#growth.threads, options.grace, this.#clock, {
      onStalled: (thread) => this.#onStalled(thread),
      onSilent: (thread, silenceMs) => this.#endings.endSilent(thread, silenceMs),
    });
    const isLimited = profile.memMB !== undefined || profile.cpuMs !== undefined;
    this.#limits = isLimited ? new LimitWatch(profile, this.#clock, (thread, call, excess) => this.#endings.exceed(thread, call, excess)) : undefined;
    // Not where calls share threads, where what a limit measures must be one call's own, or where threads run a counted number of calls.
    const postsAhead = !isLimited && callsPerWorker === 1 && maxCallsPerWorker === Infinity;
    this.#choice = { callsPerWorker, maxCallsPerWorker, processors, postsAhead };
    shared.budget.join(this);
  }

  get health(): Health {
    return this.#growth.health;
  }

  get size(): number {
    return this.#growth.threads.size;
  }

  get hasWaiting(): boolean {
    return this.#queue.size > 0;
  }

  get isRetired(): boolean {
    return this.#growth.isRetired;
  }

  get isUpcoming(): boolean {
    return this.#shared.turn.isUpcoming;
  }

  /** Starts so many threads; returns the problems of a pack that cannot be loaded. */
  boot(threads: number): Promise<readonly string[]> {
    return this.#growth.boot(threads);
  }

  run(request: CallRequest): PendingCall {
    const call = new ScheduledCall(request, this.#clock.now(), this);
    if (this.#clock.isClosed) call.settle({ kind: 'not-run' });
    if (call.settled) return call;
    this.#growth.use();
    // A call that can go at once never enters the queue's Set, since what a Set has dropped outlives the cheap collections.
    const thread = this.#queue.size === 0 ? this.#choose() : undefined;
    if (thread !== undefined) {
      this.#post(call, thread);
    } else {
      this.#queue.add(call);
      this.#growth.grow();
      this.#refuseWaiting();
    }
    return call;
  }

  beganAt(call: ScheduledCall): number | undefined {
    return this.#threadOf(call)?.beganAt(call);
  }

  end(call: ScheduledCall, reason: CancelReason): void {
    if (call.settled) return;
    call.giveUp(reason, this.#clock.now());
    if (this.#queue.delete(call)) return this.#noteIdle();
    const thread = this.#threadOf(call);
    if (thread === undefined) return;
    if (!thread.hasBegun(call)) {
      // Taken back with those behind it, it will not run; if it was begun in this moment, it has its signal as any other.
      this.#reassign(thread);
      if (!thread.calls.includes(call)) return;
    }
    thread.cancel(call, reason);
    this.#grace.begin(thread, call);
    // A handler that does not settle at once may take its thread along: the replacement need not wait for the grace.
    this.#replaceTimer ??= this.#clock.after(replaceAfterMs, () => {
      this.#replaceTimer = undefined;
      this.#growth.fill();
    });
  }

  releaseThread(): void {
    if (!this.#growth.endOneIdle()) this.#releasesNextFree = true;
  }

  onCapacityFreed(): void {
    this.#growth.fill();
  }

  replaceOldest(): boolean {
    const [oldest] = [...this.#growth.threads].filter((thread) => thread.state === 'serving' && thread.served > 0).sort((a, b) => b.served - a.served);
    if (oldest === undefined) return false;
    this.#endings.spend(oldest);
    return true;
  }

  /** No call comes any more: ends each thread once no call is left for it. */
  retire(): void {
    this.#growth.retire();
  }

  /** Ends every call as cancelled. */
  endCalls(): void {
    for (const call of [...this.#queue, ...this.#posted()]) this.end(call, 'cancelled');
  }

  /** Resolves when no call waits and no handler runs. */
  async idle(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Ends every thread, and returns them; nothing is scheduled any more. */
  close(): Thread[] {
    const threads = [...this.#growth.threads];
    this.#growth.close();
    this.#clock.close();
    return threads;
  }

  onReady(thread: Thread): void {
    this.#growth.onReady(thread);
  }

  onLoadFailed(thread: Thread, problems: readonly string[]): void {
    this.#growth.onLoadFailed(thread, problems);
    this.#shared.budget.onEnded();
  }

  onAnswer(thread: Thread, call: ScheduledCall, { outcome, body, leftBehind }: ThreadAnswer): void {
    const now = this.#clock.now();
    if (call.endedAt !== undefined) this.#shared.emit({ kind: 'handler-finished-late', tags: call.request.tags, afterMs: Math.round(now - call.endedAt) });
    call.settle({ kind: 'answer', outcome, body });
    thread.movedAt = now;
    this.#release(thread, call);
    if (leftBehind !== undefined) {
      this.#shared.emit({ kind: 'thread-ended', reason: `a call left behind: ${leftBehind}`, tags: call.request.tags });
      this.#endings.spend(thread);
    } else if (this.#releasesNextFree && thread.state === 'serving') {
      this.#releasesNextFree = false;
      this.#endings.spend(thread);
    } else {
      this.#endings.endIfSpent(thread);
    }
    this.#assign();
  }

  onFault(thread: Thread, { fault, afterAnswer, tags, cause }: ThreadFault): void {
    if (afterAnswer) this.#shared.emit({ kind: 'late-fault', fault, tags, cause });
    this.#shared.emit({ kind: 'thread-ended', reason: `${fault} outside of a handler: ${cause.message}`, tags });
    this.#endings.spend(thread);
  }

  onAwake(): void {
    this.#assign();
  }

  onEnded(thread: Thread, end: ThreadEnd): void {
    thread.state = 'ended';
    this.#requeue(thread.takeBack());
    if (end.kind === 'died' && thread.hasServed) this.#shared.emit({ kind: 'thread-ended', reason: `it died: ${end.cause.message}`, tags: thread.calls[0]?.request.tags });
    const cause = end.kind === 'died' ? end.cause : { name: 'WorkerExited', message: 'the thread was terminated' };
    for (const call of [...thread.calls]) {
      call.loseThread(cause);
      this.#release(thread, call);
    }
    this.#shared.leaving.watch(thread);
    this.#growth.onEnded(thread, end);
    // Others may be due the thread rather than this scheduler.
    this.#shared.budget.onEnded();
    this.#assign();
  }

  /** A thread takes no further call: another may have to come, and those that wait may have to go elsewhere. */
  #refill(): void {
    this.#growth.fill();
    this.#assign();
  }

  #assign(): void {
    for (const call of this.#queue) {
      const thread = this.#choose();
      if (thread === undefined) return;
      this.#queue.delete(call);
      this.#post(call, thread);
    }
    if (this.isRetired) this.#growth.endAllIdle();
  }

  #choose(): Thread | undefined {
    return chooseThread(this.#growth.threads, this.#choice, this.#clock.now());
  }

  #post(call: ScheduledCall, thread: Thread): void {
    this.#shared.emit({ kind: 'call-began', tags: call.request.tags, waitedMs: this.#clock.now() - call.arrivedAt });
    this.#limits?.begin(thread, call);
    thread.post(call);
    this.#stalls.watch();
    // After its last call another thread may start at once.
    if (thread.served >= this.#options.maxCallsPerWorker) this.#growth.fill();
  }

  /** The thread that a call was posted to, until its handler has settled or it is taken back. */
  #threadOf(call: ScheduledCall): Thread | undefined {
    for (const thread of this.#growth.threads) if (thread.calls.includes(call)) return thread;
    return undefined;
  }

  #posted(): ScheduledCall[] {
    return [...this.#growth.threads].flatMap((thread) => thread.calls);
  }

  /** Calls that a thread has not begun may be begun by others. One that runs nothing is busy with what an earlier call left behind. */
  #onStalled(thread: Thread): void {
    if (thread.state === 'serving' && thread.running < this.#options.callsPerWorker) this.#stalls.askWhetherAwake(thread);
    this.#reassign(thread);
  }

  /** Gives the calls that a thread has not begun to others. */
  #reassign(thread: Thread): void {
    this.#requeue(thread.takeBack());
    this.#endings.endIfSpent(thread);
    this.#assign();
  }

  /** Puts calls that were taken back before those that wait. */
  #requeue(calls: readonly ScheduledCall[]): void {
    for (const call of calls) {
      this.#grace.finish(call);
      this.#limits?.finish(call);
    }
    const runnable = calls.filter((call) => !call.settled);
    this.#queue.putBack(runnable);
    if (runnable.length > 0) this.#growth.grow();
    else this.#noteIdle();
  }

  #release(thread: Thread, call: ScheduledCall): void {
    this.#grace.finish(call);
    this.#limits?.finish(call);
    thread.release(call);
    this.#noteIdle();
  }

  #isIdle(): boolean {
    return this.#queue.size === 0 && this.#posted().length === 0;
  }

  #noteIdle(): void {
    if (this.#whenIdle.length > 0 && this.#isIdle()) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** No thread, and none to be had: what waits has provably not run. */
  #refuseWaiting(): void {
    if (this.health.kind !== 'failing') return;
    for (const call of this.#queue.clear()) call.settle({ kind: 'not-run' });
    this.#noteIdle();
  }
}
