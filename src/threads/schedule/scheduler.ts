import { killMarked } from '../../isolation/children.js';
import type { MemoryProbe } from '../../isolation/memory-probe.js';
import type { Records } from '../../logging/records.js';
import type { ProfiledPack } from '../../packs/pack.js';
import type { CancelReason } from '../../protocol/errors.js';
import type { FromWorker } from '../link/messages.js';
import { Ahead } from './pipelining.js';
import type { BudgetMember, ThreadBudget } from './budget.js';
import { type CallRequest, type Excess, type PendingCall, PooledCall } from './call.js';
import { chooseThread } from './choose-thread.js';
import { deathOf } from '../host/death.js';
import { Endings } from './grace.js';
import { LimitWatch } from './limits.js';
import type { Replaceable } from './memory-pressure.js';
import { Pool, type PoolOptions } from '../host/worker-host.js';
import { type Health, Scaling, type ScalingOptions } from './growth.js';
import type { StuckThreads } from './stuck-threads.js';
import type { Thread, ThreadEvents } from './thread.js';

export interface ProfilePoolOptions extends ScalingOptions, Pick<PoolOptions, 'environment' | 'log'> {
  readonly artifactVersion: string;
  /** How many calls may share a thread; 1 gives each its thread to itself. */
  readonly callsPerWorker: number;
  /** After so many calls a thread is replaced. */
  readonly maxCallsPerWorker: number;
  /** From a call's signal to the loss of its thread. */
  readonly graceMs: number;
}

/** What a pool gets from the dispatcher, and shares with others. */
export interface SharedByPools {
  /** The code of the schemas that the profile's entries name. */
  readonly validators: Promise<readonly string[]>;
  readonly budget: ThreadBudget;
  readonly stuck: StuckThreads;
  /** Absent where no profile limits memory. */
  readonly probe: MemoryProbe | undefined;
  /** Whether their generation has yet to take over from another. */
  readonly turn: { readonly isUpcoming: boolean };
}

/** A handler that has heard its signal settles within so long, mostly. */
const replaceAfterMs = 10;

/** The calls and threads of one isolation profile: gives each call to a thread that has room, first come, first served, and sees it through. */
export class ProfilePool implements ThreadEvents, BudgetMember, Replaceable {
  readonly #options: ProfilePoolOptions;
  readonly #part: ProfiledPack;
  readonly #budget: ThreadBudget;
  readonly #stuck: StuckThreads;
  readonly #records: Records;
  readonly #pool: Pool;
  readonly #scaling: Scaling;
  readonly #endings: Endings;
  readonly #limits: LimitWatch | undefined;
  /** Absent where calls share threads, where what a limit measures must be one call's own, and where threads run a counted number of calls. */
  readonly #ahead: Ahead | undefined;
  #waiting = new Set<PooledCall>();
  readonly #whenIdle: (() => void)[] = [];
  /** The next thread that finishes its call goes: another pool is due it. */
  #owesThread = false;
  readonly #turn: SharedByPools['turn'];

  constructor(part: ProfiledPack, options: ProfilePoolOptions, { validators, budget, stuck, probe, turn }: SharedByPools, records: Records) {
    const { profile, threadPack } = part;
    this.#part = part;
    this.#turn = turn;
    this.#options = options;
    this.#budget = budget;
    this.#stuck = stuck;
    this.#records = records;
    const rules = { checksCleanliness: profile.sandbox === 'context-isolated', memMB: profile.memMB, network: profile.network, callsAtOnce: options.callsPerWorker };
    this.#pool = new Pool({ pack: threadPack, validators, rules, environment: options.environment, log: options.log });
    this.#scaling = new Scaling(this.#pool, threadPack, options, records, this, {
      oldestWaiting: () => this.#waiting.values().next().value?.arrivedAt,
      mayStart: () => budget.allows(this),
      onServing: () => this.#assign(),
      onFailing: () => this.#refuseWaiting(),
    });
    this.#endings = new Endings(options.graceMs, (thread, call) => this.#lose(thread, call));
    const isLimited = profile.memMB !== undefined || profile.cpuMs !== undefined;
    this.#limits = isLimited ? new LimitWatch(profile, probe, (thread, call, excess) => this.#exceed(thread, call, excess)) : undefined;
    const postsAhead = !isLimited && options.callsPerWorker === 1 && options.maxCallsPerWorker === Infinity;
    this.#ahead = postsAhead ? new Ahead(this.#scaling.threads, (thread) => this.#reassign(thread)) : undefined;
    budget.join(this);
  }

  get health(): Health {
    return this.#scaling.health;
  }

  get size(): number {
    return this.#scaling.threads.size;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Starts so many threads; answers the problems of a pack that cannot be loaded. */
  boot(threads: number): Promise<readonly string[]> {
    return this.#scaling.boot(threads);
  }

  run(request: CallRequest): PendingCall {
    const call = new PooledCall(request);
    this.#scaling.use();
    // A call that can go at once never enters the Set, since what a Set has dropped outlives the cheap collections.
    const thread = this.#waiting.size === 0 ? this.#choose(call) : undefined;
    if (thread !== undefined) {
      this.#post(call, thread);
    } else {
      this.#waiting.add(call);
      this.#scaling.grow();
      this.#refuseWaiting();
    }
    return { outcome: call.outcome, artifactVersion: this.#options.artifactVersion, beganAt: () => call.beganAt, end: (reason) => this.#end(call, reason) };
  }

  get isRetired(): boolean {
    return this.#scaling.isRetired;
  }

  get isUpcoming(): boolean {
    return this.#turn.isUpcoming;
  }

  giveUp(): void {
    if (!this.#scaling.endOneIdle()) this.#owesThread = true;
  }

  onRoom(): void {
    this.#scaling.fill();
  }

  replaceOldest(): boolean {
    const [oldest] = [...this.#scaling.threads].filter((thread) => thread.state === 'serving' && thread.served > 0).sort((a, b) => b.served - a.served);
    if (oldest === undefined) return false;
    this.#spend(oldest);
    return true;
  }

  /** No call comes any more: ends each thread once no call is left for it. */
  retire(): void {
    this.#scaling.retire();
  }

  /** Ends every call as cancelled. */
  endCalls(): void {
    for (const call of [...this.#waiting, ...this.#posted()]) this.#end(call, 'cancelled');
  }

  /** Resolves when no call waits and no handler runs. */
  async idle(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Ends every thread, and answers them. */
  endThreads(): Thread[] {
    const threads = [...this.#scaling.threads];
    this.#limits?.close();
    this.#ahead?.close();
    this.#scaling.close();
    return threads;
  }

  async close(): Promise<void> {
    this.#budget.leave(this);
    await this.#pool.close();
  }

  onAnswer(thread: Thread, call: PooledCall, { outcome, body, leftBehind }: Extract<FromWorker, { kind: 'answer' }>): void {
    if (call.endedAt !== undefined) this.#records.handlerFinishedLate(call.request.tags, Math.round(performance.now() - call.endedAt));
    call.settle({ kind: 'answer', outcome, body });
    thread.movedAt = performance.now();
    this.#release(thread, call);
    if (leftBehind !== undefined) {
      this.#records.threadEnded(`a call left behind: ${leftBehind}`, call.request.tags);
      this.#spend(thread);
    } else if (this.#owesThread && thread.state === 'serving') {
      this.#owesThread = false;
      this.#spend(thread);
    } else {
      this.#endIfSpent(thread);
    }
    this.#assign();
  }

  onFault(thread: Thread, { fault, afterAnswer, tags, cause }: Extract<FromWorker, { kind: 'fault' }>): void {
    if (afterAnswer) this.#records.lateFault(fault, tags, cause);
    this.#records.threadEnded(`${fault} outside of a handler: ${cause.message}`, tags);
    this.#spend(thread);
  }

  onEnded(thread: Thread, error: unknown): void {
    this.#requeue(thread.takeBack());
    const death = deathOf(error, this.#part.profile.memMB);
    if (error !== undefined && thread.hasServed) this.#records.threadEnded(`it died: ${death.message}`, thread.calls[0]?.request.tags);
    for (const call of [...thread.calls]) {
      call.loseThread(death);
      this.#release(thread, call);
    }
    this.#endProcesses(thread);
    this.#stuck.watch(thread);
    this.#scaling.onEnded(thread);
    // Others may be due the thread rather than this pool.
    this.#budget.onEnded();
    this.#assign();
  }

  #assign(): void {
    for (const call of this.#waiting) {
      const thread = this.#choose(call);
      if (thread === undefined) return;
      this.#waiting.delete(call);
      this.#post(call, thread);
    }
    if (this.isRetired) this.#scaling.endAllIdle();
  }

  #post(call: PooledCall, thread: Thread): void {
    this.#limits?.begin(thread, call);
    thread.post(call);
    if (thread.calls.length > 1) this.#ahead?.watch();
    if (thread.served < this.#options.maxCallsPerWorker) return;
    // Its last call: another thread may start at once.
    thread.state = 'spent';
    this.#scaling.fill();
  }

  #choose({ request }: PooledCall): Thread | undefined {
    // Bytes move to their thread, and could not be taken back from it.
    return chooseThread(this.#scaling.threads, this.#options.callsPerWorker, typeof request.body === 'string' ? this.#ahead : undefined);
  }

  #posted(): PooledCall[] {
    return [...this.#scaling.threads].flatMap((thread) => thread.calls);
  }

  /** Gives the calls that a thread has not begun to others. */
  #reassign(thread: Thread): void {
    this.#requeue(thread.takeBack());
    this.#assign();
  }

  /** Puts calls that were taken back before those that wait. One whose body went to the thread cannot run elsewhere; it has run nowhere. */
  #requeue(calls: readonly PooledCall[]): void {
    const runnable: PooledCall[] = [];
    for (const call of calls) {
      this.#endings.finish(call);
      this.#limits?.finish(call);
      if (typeof call.request.body !== 'string') call.settle({ kind: 'not-run' });
      if (!call.settled) runnable.push(call);
    }
    if (runnable.length === 0) return this.#noteIdle();
    this.#waiting = new Set([...runnable, ...this.#waiting]);
    this.#scaling.grow();
  }

  #end(call: PooledCall, reason: CancelReason): void {
    if (call.settled) return;
    call.end(reason);
    if (this.#waiting.delete(call)) return this.#noteIdle();
    const { thread } = call;
    if (thread === undefined) return;
    if (this.#ahead !== undefined && !thread.isFirst(call)) {
      const taken = thread.takeBack();
      this.#requeue(taken.filter((other) => other !== call));
      this.#assign();
      if (taken.includes(call)) return this.#noteIdle();
    }
    thread.cancel(call, reason);
    this.#endings.begin(thread, call);
    // A handler that does not settle at once may take its thread along: the replacement need not wait for the grace.
    setTimeout(() => this.#scaling.fill(), replaceAfterMs).unref();
  }

  #release(thread: Thread, call: PooledCall): void {
    this.#endings.finish(call);
    this.#limits?.finish(call);
    thread.release(call);
    this.#noteIdle();
  }

  #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#posted().length === 0;
  }

  #noteIdle(): void {
    if (this.#whenIdle.length > 0 && this.#isIdle()) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #lose(thread: Thread, call: PooledCall): void {
    this.#records.threadEnded(`a handler did not settle within ${this.#options.graceMs} ms of its signal`, call.request.tags);
    this.#terminate(thread);
  }

  #exceed(thread: Thread, call: PooledCall, excess: Excess): void {
    call.exceedLimit(excess);
    this.#records.threadEnded(`a call passed its limit of ${excess.value} ${excess.limit}`, call.request.tags);
    this.#terminate(thread);
  }

  /** Gives a thread no further call, and ends it once those it has are over. */
  #spend(thread: Thread): void {
    thread.state = 'spent';
    this.#requeue(thread.takeBack());
    this.#endIfSpent(thread);
    this.#scaling.fill();
    this.#assign();
  }

  #endIfSpent(thread: Thread): void {
    if (thread.state === 'spent' && this.#endings.isAbandoned(thread)) this.#terminate(thread);
  }

  #terminate(thread: Thread): void {
    thread.state = 'spent';
    this.#requeue(thread.takeBack());
    // First the processes it started: a thread that waits for one in a native call cannot end before it.
    this.#endProcesses(thread);
    thread.terminate();
  }

  #endProcesses({ childMark }: Thread): void {
    if (childMark !== undefined) killMarked(childMark);
  }

  /** No thread, and none to be had: what waits has provably not run. */
  #refuseWaiting(): void {
    if (this.health.kind !== 'failing') return;
    for (const call of this.#waiting) call.settle({ kind: 'not-run' });
    this.#waiting.clear();
    this.#noteIdle();
  }
}
