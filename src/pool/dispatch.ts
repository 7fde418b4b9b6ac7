import type { Records } from '../logging/records.js';
import type { CancelReason } from '../protocol/errors.js';
import type { Cause } from '../protocol/messages.js';
import type { FromWorker, ThreadPack } from '../protocol/threads.js';
import { type CallRequest, type Outcome, PooledCall } from './call.js';
import { Endings } from './ending.js';
import { Pool, type PoolOptions } from './pool.js';
import { type Health, Scaling, type ScalingOptions } from './scaling.js';
import type { Thread, ThreadEvents } from './thread.js';

/** A call that has been handed over. */
export interface PendingCall {
  /** Resolves once, with whatever ends the call first; never rejects. */
  readonly outcome: Promise<Outcome>;
  /** Ends the call for its caller now: answered with the reason, its handler signalled. */
  end(reason: CancelReason): void;
}

/** A call in, an outcome out: all that the rest of the service knows of threads. */
export interface Dispatch {
  readonly health: Health;
  run(request: CallRequest): PendingCall;
  /** Ends every call as cancelled and every thread; answers how many threads would not end. */
  close(): Promise<{ readonly stuckThreads: number }>;
}

export interface DispatchOptions extends ScalingOptions, Omit<PoolOptions, 'pack'> {
  /** How many calls may share a thread; 1 gives each its thread to itself. */
  readonly callsPerWorker: number;
  /** After so many calls a thread is replaced. */
  readonly maxCallsPerWorker: number;
  /** From a call's signal to the loss of its thread. */
  readonly graceMs: number;
}

/** How long `close` waits for threads that native code keeps from ending. */
const closeWaitMs = 500;

/** Starts the threads; throws BootError when the pack cannot be loaded. */
export async function startDispatch(pack: ThreadPack, options: DispatchOptions, records: Records): Promise<Dispatch> {
  const dispatcher = new Dispatcher(pack, options, records);
  try {
    await dispatcher.boot();
  } catch (error) {
    await dispatcher.close();
    throw error;
  }
  return dispatcher;
}

/** Gives each call to a thread that has room for it, first come, first served, and sees it through. */
class Dispatcher implements Dispatch, ThreadEvents {
  readonly #options: DispatchOptions;
  readonly #records: Records;
  readonly #pool: Pool;
  readonly #scaling: Scaling;
  readonly #endings: Endings;
  readonly #waiting = new Set<PooledCall>();
  readonly #threadOf = new Map<PooledCall, Thread>();
  #lastId = 0;

  constructor(pack: ThreadPack, options: DispatchOptions, records: Records) {
    this.#options = options;
    this.#records = records;
    this.#pool = new Pool({ pack, environment: options.environment, log: options.log });
    this.#scaling = new Scaling(this.#pool, pack, options, records, this, {
      oldestWaiting: () => this.#waiting.values().next().value?.arrivedAt,
      onServing: () => this.#assign(),
      onFailing: () => this.#refuseWaiting(),
    });
    this.#endings = new Endings(options.graceMs, (thread, call) => this.#lose(thread, call));
  }

  get health(): Health {
    return this.#scaling.health;
  }

  boot(): Promise<void> {
    return this.#scaling.boot();
  }

  run(request: CallRequest): PendingCall {
    const call = new PooledCall(++this.#lastId, request);
    this.#waiting.add(call);
    this.#assign();
    if (this.#waiting.has(call)) {
      this.#scaling.grow();
      this.#refuseWaiting();
    }
    return { outcome: call.outcome, end: (reason) => this.#end(call, reason) };
  }

  async close(): Promise<{ readonly stuckThreads: number }> {
    for (const call of [...this.#waiting, ...this.#threadOf.keys()]) this.#end(call, 'cancelled');
    const threads = [...this.#scaling.threads];
    this.#scaling.close();
    let stuckThreads = threads.length;
    const allGone = Promise.all(threads.map((thread) => thread.gone.then(() => stuckThreads--)));
    await Promise.race([allGone, new Promise((resolve) => setTimeout(resolve, closeWaitMs).unref())]);
    if (stuckThreads === 0) await this.#pool.close();
    return { stuckThreads };
  }

  onAnswer(thread: Thread, call: PooledCall, { outcome, body }: Extract<FromWorker, { kind: 'answer' }>): void {
    if (call.endedAt !== undefined) this.#records.handlerFinishedLate(call.request.tags, Math.round(performance.now() - call.endedAt));
    call.settle({ kind: 'answer', outcome, body });
    this.#release(thread, call);
    if (thread.served >= this.#options.maxCallsPerWorker) thread.state = 'spent';
    this.#endIfSpent(thread);
    this.#assign();
  }

  onFault(thread: Thread, { fault, afterAnswer, tags, cause }: Extract<FromWorker, { kind: 'fault' }>): void {
    if (afterAnswer) this.#records.lateFault(fault, tags, cause);
    this.#records.threadEnded(`${fault} outside of a handler: ${cause.message}`, tags);
    thread.state = 'spent';
    this.#endIfSpent(thread);
  }

  onEnded(thread: Thread, error: unknown): void {
    if (error !== undefined && thread.hasServed) this.#records.threadEnded(`it died: ${deathOf(error).message}`, [...thread.calls.values()][0]?.request.tags);
    for (const call of thread.calls.values()) {
      call.loseThread(deathOf(error));
      this.#release(thread, call);
    }
    this.#scaling.onEnded(thread);
    this.#assign();
  }

  #assign(): void {
    for (const call of this.#waiting) {
      const thread = this.#threadWithRoom();
      if (thread === undefined) return;
      this.#waiting.delete(call);
      this.#threadOf.set(call, thread);
      thread.post(call);
    }
  }

  /** The first that is idle, so that the later ones can be ended; else, where threads are shared, the one with the fewest calls. */
  #threadWithRoom(): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.#scaling.threads) {
      if (thread.state !== 'serving' || thread.served >= this.#options.maxCallsPerWorker) continue;
      if (thread.calls.size === 0) return thread;
      if (thread.calls.size < this.#options.callsPerWorker && thread.calls.size < (best?.calls.size ?? Infinity)) best = thread;
    }
    return best;
  }

  #end(call: PooledCall, reason: CancelReason): void {
    if (call.settled) return;
    call.end(reason);
    if (this.#waiting.delete(call)) return;
    const thread = this.#threadOf.get(call);
    if (thread === undefined) return;
    thread.cancel(call, reason);
    this.#endings.begin(thread, call);
  }

  #release(thread: Thread, call: PooledCall): void {
    this.#endings.finish(call);
    this.#threadOf.delete(call);
    thread.release(call);
  }

  #lose(thread: Thread, call: PooledCall): void {
    this.#records.threadEnded(`a handler did not settle within ${this.#options.graceMs} ms of its signal`, call.request.tags);
    thread.state = 'spent';
    thread.terminate();
  }

  #endIfSpent(thread: Thread): void {
    if (thread.state === 'spent' && this.#endings.isAbandoned(thread)) thread.terminate();
  }

  /** No thread, and none to be had: what waits has provably not run. */
  #refuseWaiting(): void {
    if (this.health.kind !== 'failing') return;
    for (const call of this.#waiting) call.settle({ kind: 'not-run' });
    this.#waiting.clear();
  }
}

/** Why a thread died, as the cause its calls answer with. */
function deathOf(error: unknown): Cause {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { name: 'ResourceLimitExceeded', message: error.message, limit: 'memMB' };
  }
  return { name: 'WorkerExited', message: error instanceof Error ? error.message : 'the thread was terminated' };
}
