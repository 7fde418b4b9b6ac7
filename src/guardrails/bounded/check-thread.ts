import { Worker } from 'node:worker_threads';
import type { CheckJob, CheckJobAnswer, CheckThreadData, FromCheckThread } from '../../threads/link/check-jobs.js';

/** What came of a job, its thread's end included. */
export type JobOutcome = CheckJobAnswer | { readonly kind: 'timed-out' } | { readonly kind: 'died'; readonly message: string };

/** A job, and who waits for it. */
export interface PendingJob {
  readonly job: CheckJob;
  readonly settle: (outcome: JobOutcome) => void;
}

/** What a thread tells its owner. */
export interface CheckThreadEvents {
  /** It has nothing to do. */
  onIdle(thread: CheckThread): void;
  /** It is over; these jobs are still to be done. */
  onEnded(thread: CheckThread, left: readonly PendingJob[]): void;
}

const workerFile = new URL('../../../workers/check/check-thread.js', import.meta.url);
/** How often a busy thread is looked at: by so much a job may exceed its time. */
const lookEveryMs = 20;

/**
 * A worker thread that runs checks one after the other, in batches, and is terminated with the one that
 * takes too long. Which one it runs it says in shared memory, so that neither the wait in the batch nor the
 * start of the thread counts against a job.
 */
export class CheckThread {
  readonly #worker: Worker;
  readonly #events: CheckThreadEvents;
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  /** By id, in the order in which they run. */
  readonly #jobs = new Map<number, PendingJob>();
  #watch: NodeJS.Timeout | undefined;
  #running: { readonly jobId: number; readonly since: number } | undefined;
  /** The job that the thread is terminated for. */
  #overdue: number | undefined;
  #death: JobOutcome = { kind: 'died', message: 'the thread ended by itself' };

  constructor(events: CheckThreadEvents) {
    this.#events = events;
    const workerData: CheckThreadData = { progress: this.#progress.buffer };
    // A process that runs text from its command line has flags that no thread starts with.
    const runsText = process.execArgv.some((flag) => flag.startsWith('--input-type'));
    this.#worker = new Worker(workerFile, { workerData, ...(runsText ? { execArgv: [] } : {}) });
    this.#worker.on('message', ({ jobId, answer }: FromCheckThread) => this.#settle(jobId, answer));
    this.#worker.on('error', (error) => (this.#death = { kind: 'died', message: error instanceof Error ? error.message : String(error) }));
    this.#worker.on('exit', () => this.#onExit());
    this.#worker.unref();
  }

  /** Hands jobs to an idle thread; throws, and has none of them, when no message can carry them. */
  run(jobs: readonly PendingJob[]): void {
    this.#worker.postMessage(jobs.map(({ job }) => job));
    for (const pending of jobs) this.#jobs.set(pending.job.jobId, pending);
    this.#worker.ref();
    this.#watch = setInterval(() => this.#look(), lookEveryMs);
  }

  #settle(jobId: number, outcome: JobOutcome): void {
    this.#jobs.get(jobId)?.settle(outcome);
    this.#jobs.delete(jobId);
    if (this.#jobs.size > 0 || this.#overdue !== undefined) return;
    this.#rest();
    this.#events.onIdle(this);
  }

  /** A job that is still the one of an earlier look has run since then at least. */
  #look(): void {
    const jobId = Atomics.load(this.#progress, 0);
    if (jobId !== this.#running?.jobId) this.#running = { jobId, since: performance.now() };
    const pending = this.#jobs.get(jobId);
    if (pending === undefined || performance.now() - this.#running.since < pending.job.timeLimitMs) return;
    this.#overdue = jobId;
    this.#rest();
    void this.#worker.terminate();
  }

  /**
   * What the thread posted before its end has arrived by now. It ended with the job that was overdue, which
   * may have got its answer at the last moment, or else with the first one that has none.
   */
  #onExit(): void {
    this.#rest();
    const [first] = this.#jobs.keys();
    const ended = this.#overdue ?? first;
    if (ended !== undefined) {
      this.#jobs.get(ended)?.settle(this.#overdue === undefined ? this.#death : { kind: 'timed-out' });
      this.#jobs.delete(ended);
    }
    const left = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#events.onEnded(this, left);
  }

  #rest(): void {
    clearInterval(this.#watch);
    this.#running = undefined;
    this.#worker.unref();
  }
}
