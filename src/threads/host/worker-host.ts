import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { CallLedger } from '../link/call-ledger.js';
import { stripperPort } from './type-stripper.js';
import type { LogFormat, LogLevel } from '../../logging/log-levels.js';
import type { SessionTask, ThreadRules, ValidatorCodes } from '../link/messages.js';
import type { ThreadPack } from '../link/thread-pack.js';

let lastThread = 0;
const workerNiceness = 5;
const workerFile = new URL('../../../workers/serve/pack-worker.js', import.meta.url).href;

/** What every thread of a pool gets. */
export interface PoolOptions {
  readonly pack: ThreadPack;
  /** The code of the pack's compiled schemas. A thread imports the modules while it is not there yet. */
  readonly validators: Promise<readonly string[]>;
  /** What each of its threads enforces; `childMark` is added for each. */
  readonly rules: Omit<ThreadRules, 'childMark'>;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
}

/** A worker thread that runs one session, from its start to its end. */
export interface Session {
  /** The main thread's end of the session's own channel. */
  readonly port: MessagePort;
  /** How many modules the thread has begun to import, and how many processes it has started. */
  readonly progress: Int32Array;
  /** How far the thread is with the calls posted to it. */
  readonly ledger: CallLedger;
  /** Marks the processes the thread starts. */
  readonly childMark: string;
  /** Resolves when no more comes from the thread; with what ended it, if that was not `terminate`. Never rejects. */
  readonly ended: Promise<unknown>;
  /** Resolves when the thread is gone; a native call that does not return can delay it for ever. */
  readonly gone: Promise<void>;
  /** Ends the thread, whatever it does. */
  terminate(): void;
}

/**
 * A Piscina pool whose tasks are sessions: each thread runs one that lasts as long as the thread, and
 * takes its calls over a port of its own. So it is always known which thread has which call, a thread
 * between calls keeps its event loop, and a call costs one message each way. Piscina starts the
 * threads, tells how they died and terminates them; how many there are is decided in scaling.ts.
 */
export class Pool {
  readonly #piscina: Piscina;
  readonly #options: PoolOptions;
  readonly #open = new Set<AbortController>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#piscina = new Piscina({
      filename: workerFile,
      env: { ...options.environment },
      minThreads: 0,
      maxThreads: Infinity,
      ...(options.rules.memMB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapBackstopMb(options.rules.memMB) } }),
      // With Atomics a thread's event loop stands still between tasks; ours are never between tasks.
      atomics: 'disabled',
      recordTiming: false,
      // When handlers fill every core, the main thread still gets its turn.
      niceIncrement: workerNiceness,
    });
    // A thread that dies before it has taken its session: Piscina cannot tell whose it was meant to be.
    this.#piscina.on('error', () => {
      for (const controller of this.#open) if (!controller.signal.aborted) controller.abort();
    });
  }

  /** Starts a thread; its first message says whether it has loaded the pack. */
  start(): Session {
    const { port1: port, port2 } = new MessageChannel();
    const progress = new SharedArrayBuffer(8);
    const ledger = CallLedger.memory();
    const { pack, validators, log, rules } = this.#options;
    const childMark = `${process.pid}-${++lastThread}`;
    const stripper = stripperPort(pack.modules.map(({ url }) => url));
    const task: SessionTask = { port: port2, pack, log, progress, ledger, stripper, rules: { ...rules, childMark } };
    void validators.then((codes) => port.postMessage({ kind: 'validators', codes } satisfies ValidatorCodes));
    const controller = new AbortController();
    this.#open.add(controller);
    const gone = new Promise<void>((resolve) => port.once('close', () => resolve()));
    const ended = this.#piscina.run(task, { transferList: stripper ? [port2, stripper] : [port2], signal: controller.signal }).then(
      () => undefined,
      (error: unknown) => (controller.signal.aborted ? undefined : error),
    );
    void ended.then(() => {
      this.#open.delete(controller);
      if (!controller.signal.aborted) controller.abort();
      // A session that ended before its thread took it: nobody else would ever close this end.
      port2.close();
      stripper?.close();
    });
    return { port, progress: new Int32Array(progress), ledger: new CallLedger(ledger), childMark, ended, gone, terminate: () => controller.abort() };
  }

  /** Ends what is left of the threads. */
  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}

/**
 * The heap size at which V8 ends a thread by itself. It lies well above the limit, which the watch
 * enforces: when one growing array meets V8's own bound, the array's next copy does not fit into what is
 * left, and V8 ends the whole process rather than the thread.
 */
function heapBackstopMb(memMB: number): number {
  return memMB * 4 + 256;
}
