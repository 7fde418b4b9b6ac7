import type { Worker } from 'node:worker_threads';
import { startFailure, startWorker } from '../../threads/host/start-worker.js';
import type { CheckJob, CheckJobAnswer, CheckThreadData, FromCheckThread } from '../../threads/link/check-jobs.js';

/** What came of a job, its thread's end included. */
export type JobOutcome =
  | CheckJobAnswer
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'died'; readonly message: string }
  /** It did not run. */
  | { readonly kind: 'no-thread'; readonly reason: string };

/** A job, and who waits for it. */
export interface PendingJob {
  readonly job: CheckJob;
  readonly settle: (outcome: JobOutcome) => void;
  /** How many threads have ended before they began it, although no other check had run on them. */
  readonly lostThreads: number;
}

/** How a thread ended, and whom that tells about. */
export type ThreadEnd =
  /** It never finished starting: its jobs have nothing to do with it. */
  | { readonly kind: 'not-started'; readonly reason: string }
  /** A job ended it, and has its outcome. */
  | { readonly kind: 'in-job' }
  /** It was at none of its jobs. Where it has run others, one of them may have left something behind. */
  | { readonly kind: 'between-jobs'; readonly hasAnswered: boolean };

/** What a thread tells its owner. */
export interface CheckThreadEvents {
  /** It has finished starting. */
  onStarted(thread: CheckThread): void;
  /** It has nothing to do. */
  onIdle(thread: CheckThread): void;
  /** It is over; these jobs are still to be done, and none of them ended it. */
  onEnded(thread: CheckThread, end: ThreadEnd, left: readonly PendingJob[]): void;
}

const workerFile = new URL('../../../workers/check/check-thread.js', import.meta.url);
/** How often a busy thread is looked at: by so much a job may exceed its time. */
const lookEveryMs = 20;
/** A thread starts in tens of milliseconds; one that takes so long waits for something that does not come. */
const longestStartMs = 30_000;

/**
 * A worker thread that runs checks one after the other, in batches. It is terminated with the one that takes too
 * long, and when it begins none of its jobs for as long as the first of them may take. Which one it runs it says
 * in shared memory, so that neither the wait in the batch nor the start of the thread counts against a job.
 */
export class CheckThread {
  readonly #worker: Worker;
  readonly #events: CheckThreadEvents;
  readonly #progress: Int32Array;
  readonly #startLimit: NodeJS.Timeout;
  /** By id, in the order in which they run. */
  readonly #jobs = new Map<number, PendingJob>();
  #watch: NodeJS.Timeout | undefined;
  /** The thread's progress, and since when it has been seen to make no other. */
  #seen: { readonly progress: number; readonly since: number } | undefined;
  #hasStarted = false;
  #hasAnswered = false;
  /** Why it is being terminated: for one of its jobs, or for none. */
  #terminated: { readonly forJob: number | undefined } | undefined;
  #hasEnded = false;
  #death = 'the thread ended by itself';

  /** Starts a thread; it takes jobs at once. */
  static start(events: CheckThreadEvents): { readonly kind: 'started'; readonly thread: CheckThread } | { readonly kind: 'failed'; readonly reason: string } {
    const progress = new SharedArrayBuffer(4);
    const workerData: CheckThreadData = { progress };
    // A process that runs text from its command line has flags that no thread starts with.
    const runsText = process.execArgv.some((flag) => flag.startsWith('--input-type'));
    const start = startWorker(workerFile, { workerData, ...(runsText ? { execArgv: [] } : {}) });
    return start.kind === 'failed' ? start : { kind: 'started', thread: new CheckThread(start.worker, new Int32Array(progress), events) };
  }

  private constructor(worker: Worker, progress: Int32Array, events: CheckThreadEvents) {
    this.#worker = worker;
    this.#progress = progress;
    this.#events = events;
    this.#startLimit = setTimeout(() => {
      this.#death = `the thread has not started within ${longestStartMs} ms`;
      this.#terminate(undefined);
    }, longestStartMs).unref();
    worker.on('message', (message: FromCheckThread) => this.#take(message));
    worker.on('error', (error) => (this.#death = startFailure(error) ?? (error instanceof Error ? error.message : String(error))));
    worker.on('exit', () => this.#onExit());
    worker.unref();
  }

  /** Hands jobs to a thread that has none; throws, and has none of them, when no message can carry them. */
  run(jobs: readonly PendingJob[]): void {
    this.#worker.postMessage(jobs.map(({ job }) => job));
    for (const pending of jobs) this.#jobs.set(pending.job.jobId, pending);
    this.#worker.ref();
    this.#watch = setInterval(() => this.#look(), lookEveryMs);
  }

  #take(message: FromCheckThread): void {
    if (message.kind === 'started') {
      this.#hasStarted = true;
      clearTimeout(this.#startLimit);
      this.#events.onStarted(this);
    } else this.#settle(message.jobId, message.answer);
  }

  #settle(jobId: number, outcome: JobOutcome): void {
    this.#hasAnswered = true;
    this.#jobs.get(jobId)?.settle(outcome);
    this.#jobs.delete(jobId);
    if (this.#jobs.size > 0 || this.#terminated !== undefined) return;
    this.#rest();
    this.#events.onIdle(this);
  }

  /** Progress that is still the one of an earlier look has been so since then at least. */
  #look(): void {
    if (!this.#hasStarted) return;
    const progress = Atomics.load(this.#progress, 0);
    if (progress !== this.#seen?.progress) this.#seen = { progress, since: performance.now() };
    const running = this.#jobs.get(progress);
    const [first] = this.#jobs.values();
    const limitMs = (running ?? first)?.job.timeLimitMs ?? Infinity;
    if (performance.now() - this.#seen.since >= limitMs) this.#terminate(running?.job.jobId);
  }

  #terminate(forJob: number | undefined): void {
    this.#terminated = { forJob };
    this.#rest();
    this.#worker.terminate().catch(() => this.#onExit());
  }

  /**
   * What the thread posted before its end has arrived by now: a job that has its answer is not to blame. Of the
   * others it is the one that the thread was terminated for, or that it was at when it ended by itself.
   */
  #onExit(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#startLimit);
    this.#rest();
    const guilty = this.#jobs.get((this.#terminated ? this.#terminated.forJob : Atomics.load(this.#progress, 0)) ?? 0);
    if (guilty) this.#jobs.delete(guilty.job.jobId);
    guilty?.settle(this.#terminated ? { kind: 'timed-out' } : { kind: 'died', message: this.#death });
    const left = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#events.onEnded(this, this.#howItEnded(guilty !== undefined), left);
  }

  #howItEnded(byJob: boolean): ThreadEnd {
    if (!this.#hasStarted) return { kind: 'not-started', reason: this.#death };
    return byJob ? { kind: 'in-job' } : { kind: 'between-jobs', hasAnswered: this.#hasAnswered };
  }

  #rest(): void {
    clearInterval(this.#watch);
    this.#seen = undefined;
    this.#worker.unref();
  }
}
