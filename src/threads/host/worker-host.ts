import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { killMarked } from '../../isolation/children.js';
import { threadCpuMs } from '../../isolation/cpu-clock.js';
import type { MemoryProbe } from '../../isolation/memory-probe.js';
import { neverBlock } from '../../logging/descriptor.js';
import type { CancelReason } from '../../protocol/errors.js';
import type { Cause } from '../../protocol/messages.js';
import { causeOf, messageOf } from '../../protocol/thrown.js';
import { CallLedger } from '../link/call-ledger.js';
import type { FromWorker, PostedCall, SessionTask, ThreadRules, ToWorker, ValidatorCodes } from '../link/messages.js';
import { type ThreadPack, usersOf } from '../link/thread-pack.js';
import { startFailure } from './start-worker.js';
import type { ThreadCall, ThreadEnd, ThreadHandle, ThreadHost, ThreadListener } from './thread-host.js';
import { stripperPort } from './type-stripper.js';
import { leaveRemovedFolder } from './working-directory.js';

/** What every thread of a host gets. */
export interface WorkerHostOptions {
  readonly pack: ThreadPack;
  /** The code of the pack's compiled schemas. A thread imports the modules while it is not there yet. */
  readonly validators: Promise<readonly string[]>;
  /** What each of its threads enforces; `childMark` is added for each. */
  readonly rules: Omit<ThreadRules, 'childMark'>;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: SessionTask['log'];
  /** Needed for a profile with `memMB`. */
  readonly probe: MemoryProbe | undefined;
}

const workerFile = new URL('../../../workers/serve/pack-worker.js', import.meta.url).href;
/** With handlers that fill every core, the main thread still gets its turn. */
const workerNiceness = 5;
/** A thread that has not begun its session after so long has died, or never will. */
const longestStartMs = 1_500;
const startPollMs = 10;

let lastThread = 0;

/**
 * Runs threads as worker threads of this process. Each is a Piscina pool of one thread whose one task, a session, lasts
 * as long as the thread and takes its calls over a port of its own. So Piscina starts the thread, lowers its priority,
 * tells how it died and terminates it; it has no second task to queue, no second thread to start in place of one that
 * died, and the failure of one thread is never another's. How many threads there are is the scheduler's to decide.
 */
export class WorkerHost implements ThreadHost {
  readonly #options: WorkerHostOptions;

  constructor(options: WorkerHostOptions) {
    // Before the first thread, which can write to them as they are and not change that.
    neverBlock(1);
    neverBlock(2);
    this.#options = options;
  }

  start(listener: ThreadListener): ThreadHandle {
    leaveRemovedFolder();
    return new WorkerThread(this.#options, listener);
  }
}

class WorkerThread implements ThreadHandle {
  readonly #options: WorkerHostOptions;
  readonly #listener: ThreadListener;
  readonly #pool: Piscina;
  /** Undefined where the system refused it. */
  #worker: Worker | undefined;
  readonly #port: MessagePort;
  /** Two Int32 in shared memory, since a busy thread cannot say: the modules it has begun to import, the processes it has started. */
  readonly #progress = new Int32Array(new SharedArrayBuffer(8));
  readonly #ledger: CallLedger;
  readonly #childMark = `${process.pid}-${++lastThread}`;
  readonly #createdAt = performance.now();
  #state: 'starting' | 'ready' | 'ended' = 'starting';
  #isTerminated = false;
  /** What the thread died of before it took its session: Piscina has no task to reject with it. */
  #startError: unknown;
  #threadId: number | undefined;
  #nativeThreadId: number | undefined;
  /** The sequence after that of the last call posted. */
  #end = 0;
  /** Calls posted in this turn of the event loop: one message to the thread costs as much as several, and wakes it once. */
  #outbox: PostedCall[] = [];
  readonly #flushLater = (): void => this.#flush();

  constructor(options: WorkerHostOptions, listener: ThreadListener) {
    this.#options = options;
    this.#listener = listener;
    const { pack, log, rules } = options;
    this.#pool = new Piscina({
      filename: workerFile,
      env: { ...options.environment },
      minThreads: 0,
      maxThreads: 1,
      ...(rules.memMB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapBackstopMb(rules.memMB) } }),
      // With Atomics a thread's event loop stands still between tasks; ours are never between tasks.
      atomics: 'disabled',
      recordTiming: false,
      niceIncrement: workerNiceness,
    });
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: FromWorker) => this.#onMessage(message));
    const ledger = CallLedger.memory();
    this.#ledger = new CallLedger(ledger);
    const stripper = stripperPort(pack.modules.map(({ url }) => url));
    const task: SessionTask = { port: port2, pack, log, progress: this.#progress.buffer, ledger, stripper, rules: { ...rules, childMark: this.#childMark } };
    this.#pool.on('error', (error: unknown) => {
      this.#startError = error;
    });
    const session = this.#runSession(task, stripper ? [port2, stripper] : [port2]);
    [this.#worker] = this.#pool.threads;
    const whenEnded = (error: unknown): void => {
      // A session that ended before its thread took it: nobody else would ever close these.
      port2.close();
      stripper?.close();
      this.#onEnded(error);
    };
    session.then(() => whenEnded(undefined), whenEnded);
    this.#worker?.once('exit', (code) => this.#onExit(code));
    options.validators.then(
      (codes) => port1.postMessage({ kind: 'validators', codes } satisfies ValidatorCodes),
      () => this.terminate(),
    );
  }

  get unbegun(): number {
    return this.#ledger.unbegun(this.#end);
  }

  get running(): number {
    return this.#ledger.running;
  }

  get averageMs(): number {
    return this.#ledger.averageMs;
  }

  get loading(): string | undefined {
    const { pack } = this.#options;
    const module = pack.modules[this.#begunImports - 1];
    return module && `${usersOf(pack, module.modulePath)}: module ${module.modulePath}`;
  }

  post(call: ThreadCall): void {
    this.#end = (call.sequence + 1) | 0;
    this.#outbox.push(call);
    if (this.#outbox.length === 1) setImmediate(this.#flushLater);
  }

  takeBack(): number {
    // What has not even been sent has not begun either.
    this.#outbox = [];
    return this.#ledger.takeBack(this.#end);
  }

  cancel(sequence: number, reason: CancelReason): void {
    this.#flush();
    this.#port.postMessage({ kind: 'cancel', sequence, reason } satisfies ToWorker);
  }

  ping(): void {
    this.#flush();
    this.#port.postMessage({ kind: 'ping' } satisfies ToWorker);
  }

  terminate(): void {
    if (this.#isTerminated || this.#state === 'ended') return;
    // Node 20 aborts the whole process when a thread is terminated while it still loads that thread's first module.
    const isStarting = this.#state === 'starting' && this.#begunImports === 0 && performance.now() - this.#createdAt < longestStartMs;
    if (isStarting) return void setTimeout(() => this.terminate(), startPollMs);
    this.#isTerminated = true;
    // First the processes it started: a thread that waits for one in a native call cannot end before it.
    this.#endProcesses();
    this.#endPool();
  }

  cpuMs(): number | undefined {
    return this.#nativeThreadId === undefined ? undefined : threadCpuMs(this.#nativeThreadId);
  }

  async heldBytes(afterCollection: boolean): Promise<number | undefined> {
    const { probe } = this.#options;
    if (probe === undefined || this.#threadId === undefined) return undefined;
    return afterCollection ? probe.heldAfterCollection(this.#threadId) : probe.held(this.#threadId);
  }

  /** Piscina throws where the system refuses it a thread; from here it is a rejection as any other. */
  async #runSession(task: SessionTask, transferList: MessagePort[]): Promise<void> {
    await this.#pool.run(task, { transferList });
  }

  get #begunImports(): number {
    return Atomics.load(this.#progress, 0);
  }

  #flush(): void {
    if (this.#outbox.length === 0) return;
    const calls = this.#outbox;
    this.#outbox = [];
    this.#port.postMessage({ kind: 'calls', calls } satisfies ToWorker);
  }

  #onMessage(message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        this.#state = 'ready';
        this.#threadId = message.threadId;
        this.#nativeThreadId = message.nativeThreadId;
        return this.#listener.onReady();
      case 'load-failed':
        return this.#listener.onLoadFailed(message.problems);
      case 'answer':
        return this.#listener.onAnswer(message);
      case 'cancel-seen':
        return this.#listener.onCancelSeen(message.sequence);
      case 'pong':
        return this.#listener.onPong();
      case 'fault':
        return this.#listener.onFault(message);
    }
  }

  /** Before its session began, nothing else tells that the thread is gone: the session waits in Piscina's queue for a thread that never comes. */
  #onExit(code: number): void {
    setImmediate(() => {
      if (this.#state !== 'ended') {
        this.#startError ??= new Error(`the thread exited with code ${code} before it began to load the pack`);
        this.#endPool();
      }
      // Its end is told first.
      setImmediate(() => this.#listener.onGone());
    });
  }

  #onEnded(error: unknown): void {
    // What the thread posted before it died may still wait on the port: a response there is a response.
    for (let waiting = receiveMessageOnPort(this.#port); waiting; waiting = receiveMessageOnPort(this.#port)) this.#onMessage(waiting.message as FromWorker);
    const end = this.#endOf(this.#startError ?? error);
    this.#state = 'ended';
    this.#port.close();
    this.#endProcesses();
    this.#endPool();
    this.#listener.onEnded(end);
    if (this.#worker === undefined) this.#listener.onGone();
  }

  #endOf(error: unknown): ThreadEnd {
    if (this.#isTerminated) return { kind: 'terminated' };
    if (this.#state === 'starting' && this.#begunImports === 0) return { kind: 'not-started', reason: reasonOf(error) };
    return { kind: 'died', cause: causeOfDeath(error, this.#options.rules.memMB) };
  }

  /**
   * What is left of the pool; its promise waits for the thread to be gone, which `onGone` tells. A pool whose thread was
   * refused has nothing left but a task that nobody waits for, whose rejection would end the process.
   */
  #endPool(): void {
    if (this.#worker === undefined) return;
    this.#pool.destroy().catch((error: unknown) => (this.#startError ??= error));
  }

  #endProcesses(): void {
    if (Atomics.load(this.#progress, 1) > 0) killMarked(this.#childMark);
  }
}

/** Why a thread died, as the cause that its calls end with. */
function causeOfDeath(error: unknown, memMB: number | undefined): Cause {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { name: 'ResourceLimitExceeded', message: error.message, limit: 'memMB', ...(memMB === undefined ? {} : { value: memMB, used: memMB }) };
  }
  return { name: 'WorkerExited', message: error instanceof Error ? error.message : 'the thread ended by itself' };
}

function reasonOf(error: unknown): string {
  if (error === undefined) return 'the thread ended before it began to load the pack';
  return startFailure(error) ?? messageOf(causeOf(error));
}

/**
 * The heap size at which V8 ends a thread by itself. It lies well above the limit, which the watch
 * enforces: when one growing array meets V8's own bound, the array's next copy does not fit into what is
 * left, and V8 ends the whole process rather than the thread.
 */
function heapBackstopMb(memMB: number): number {
  return memMB * 4 + 256;
}
