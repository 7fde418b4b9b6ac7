import { Worker, type WorkerOptions } from 'node:worker_threads';
import { leaveRemovedFolder } from './working-directory.js';

/** A thread that is starting, or why there is none. */
export type WorkerStart = { readonly kind: 'started'; readonly worker: Worker } | { readonly kind: 'failed'; readonly reason: string };

/**
 * Starts a worker thread; never throws. A thread that was started can still fail before it runs any code: it
 * then emits an error that `startFailure` recognizes.
 */
export function startWorker(file: URL, options: WorkerOptions): WorkerStart {
  leaveRemovedFolder();
  try {
    return { kind: 'started', worker: new Worker(file, options) };
  } catch (error) {
    return { kind: 'failed', reason: startFailure(error) ?? `a thread cannot start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Why the system refused a thread, and what to check; undefined for any other error. */
export function startFailure(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_INIT_FAILED')) return undefined;
  const limits = error.message.endsWith('EMFILE') ? 'of open files (ulimit -n)' : 'of processes and threads (ulimit -u, and pids.max of the cgroup)';
  return `the system refuses another thread (${error.message}): check its limits ${limits}`;
}
