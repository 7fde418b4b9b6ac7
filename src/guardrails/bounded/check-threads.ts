import { availableParallelism } from 'node:os';
import type { CheckJob } from '../../threads/link/check-jobs.js';
import { CheckThread, type CheckThreadEvents, type JobOutcome, type PendingJob, type ThreadEnd } from './check-thread.js';
import { StartAttempts } from './start-attempts.js';

/** So many jobs share one message; more would only make others wait behind a slow one. */
const largestBatch = 32;
/** A job that so many threads ended before, without another check to blame, is not tried again. */
const mostLostThreads = 3;

let lastJobId = 0;

/** Runs checks that may hang, each with a bound on its time, on threads that start with the first of them and keep no process alive. */
export class CheckThreads implements CheckThreadEvents {
  readonly #maxThreads: number;
  readonly #threads = new Set<CheckThread>();
  readonly #idle: CheckThread[] = [];
  readonly #attempts = new StartAttempts(() => this.#assign());
  #waiting: PendingJob[] = [];
  #isAssigning = false;

  constructor(maxThreads: number) {
    this.#maxThreads = maxThreads;
  }

  /** Runs one check; never rejects. */
  run(job: Omit<CheckJob, 'jobId'>): Promise<JobOutcome> {
    return new Promise((resolve) => {
      // Ids are told apart in shared memory, as Int32; 0 is none.
      lastJobId = (lastJobId % (2 ** 31 - 1)) + 1;
      this.#waiting.push({ job: { ...job, jobId: lastJobId }, settle: resolve, lostThreads: 0 });
      this.#assignSoon();
    });
  }

  onStarted(): void {
    this.#attempts.succeeded();
    this.#assign();
  }

  onIdle(thread: CheckThread): void {
    this.#idle.push(thread);
    this.#assign();
  }

  onEnded(thread: CheckThread, end: ThreadEnd, left: readonly PendingJob[]): void {
    this.#threads.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#waiting = [...(end.kind === 'between-jobs' && !end.hasAnswered ? withLoss(left) : left), ...this.#waiting];
    if (end.kind === 'not-started') this.#onStartFailed(end.reason);
    // With no thread left, nobody else could do the jobs in the meantime.
    else if (this.#threads.size === 0) this.#attempts.stopWaiting();
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
      this.#run(thread, this.#waiting.splice(0, this.#batchSize()));
    }
  }

  #batchSize(): number {
    const [first] = this.#waiting;
    // What may have kept a thread from beginning anything goes alone.
    if (first !== undefined && first.lostThreads > 0) return 1;
    return Math.min(Math.ceil(this.#waiting.length / this.#maxThreads), largestBatch);
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
    if (this.#threads.size >= this.#maxThreads || this.#attempts.isWaiting) return undefined;
    const start = CheckThread.start(this);
    if (start.kind === 'failed') {
      this.#onStartFailed(start.reason);
      return undefined;
    }
    this.#threads.add(start.thread);
    return start.thread;
  }

  /** The threads that run go on with the jobs. Where there are none, the jobs wait for a few more attempts, and then fail. */
  #onStartFailed(reason: string): void {
    const isHopeless = this.#attempts.failed({ othersRun: this.#threads.size > 0 });
    if (!isHopeless) return;
    for (const { settle } of this.#waiting.splice(0)) settle({ kind: 'no-thread', reason });
  }
}

/** The first job is the one that the thread was to begin. */
function withLoss([first, ...others]: readonly PendingJob[]): PendingJob[] {
  if (first === undefined) return [];
  const lostThreads = first.lostThreads + 1;
  if (lostThreads < mostLostThreads) return [{ ...first, lostThreads }, ...others];
  first.settle({ kind: 'no-thread', reason: `${lostThreads} threads in a row ended before they began it` });
  return others;
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
