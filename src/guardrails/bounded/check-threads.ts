import { availableParallelism } from 'node:os';
import type { CheckJob } from '../../threads/link/check-jobs.js';
import { CheckThread, type CheckThreadEvents, type JobOutcome, type PendingJob } from './check-thread.js';

/** So many jobs share one message; more would only make others wait behind a slow one. */
const largestBatch = 32;

let lastJobId = 0;

/** Runs checks that may hang, each with a bound on its time, on threads that start with the first of them and keep no process alive. */
export class CheckThreads implements CheckThreadEvents {
  readonly #maxThreads: number;
  readonly #threads = new Set<CheckThread>();
  readonly #idle: CheckThread[] = [];
  readonly #waiting: PendingJob[] = [];
  #isAssigning = false;

  constructor(maxThreads: number) {
    this.#maxThreads = maxThreads;
  }

  /** Runs one check; never rejects. */
  run(job: Omit<CheckJob, 'jobId'>): Promise<JobOutcome> {
    return new Promise((resolve) => {
      // Ids are told apart in shared memory, as Int32; 0 says that none runs.
      lastJobId = (lastJobId % (2 ** 31 - 1)) + 1;
      this.#waiting.push({ job: { ...job, jobId: lastJobId }, settle: resolve });
      this.#assignSoon();
    });
  }

  onIdle(thread: CheckThread): void {
    this.#idle.push(thread);
    this.#assign();
  }

  onEnded(thread: CheckThread, left: readonly PendingJob[]): void {
    this.#threads.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#waiting.unshift(...left);
    this.#assign();
  }

  /** What is asked for in one go goes out in one message. */
  #assignSoon(): void {
    if (this.#isAssigning) return;
    this.#isAssigning = true;
    queueMicrotask(() => {
      this.#isAssigning = false;
      this.#assign();
    });
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.shift() ?? this.#start();
      if (thread === undefined) return;
      const share = Math.ceil(this.#waiting.length / this.#maxThreads);
      this.#run(thread, this.#waiting.splice(0, Math.min(share, largestBatch)));
    }
  }

  #run(thread: CheckThread, jobs: readonly PendingJob[]): void {
    try {
      thread.run(jobs);
    } catch {
      // A trace with something in it that no message can carry, such as a function, fails its own job alone.
      const sendable = jobs.filter(isSendable);
      if (sendable.length > 0) thread.run(sendable);
      else this.#idle.push(thread);
    }
  }

  #start(): CheckThread | undefined {
    if (this.#threads.size >= this.#maxThreads) return undefined;
    const thread = new CheckThread(this);
    this.#threads.add(thread);
    return thread;
  }
}

/** Settles a job that cannot be sent. */
function isSendable({ job, settle }: PendingJob): boolean {
  try {
    structuredClone(job);
    return true;
  } catch (error) {
    settle({ kind: 'not-json', message: error instanceof Error ? error.message : String(error) });
    return false;
  }
}

let shared: CheckThreads | undefined;

/** The threads that all evaluations of a process share. */
export function sharedCheckThreads(): CheckThreads {
  return (shared ??= new CheckThreads(availableParallelism()));
}
