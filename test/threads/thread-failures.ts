import { type RunningService, until } from '../running-service.js';

/** What a `thread-failed` record says, and when. */
export interface ThreadFailure {
  readonly at: number;
  readonly problems: readonly string[];
  /** In so long another thread is tried. */
  readonly retryInMs: number;
}

/** The `thread-failed` records so far; throws on one that does not say why, or when another thread is tried. */
export function failuresOf(service: RunningService): ThreadFailure[] {
  return service.records.filter(({ kind }) => kind === 'thread-failed').map((record) => {
    const { time, problems, retryInMs } = record;
    if (!Array.isArray(problems) || problems.length === 0 || typeof retryInMs !== 'number') throw new Error(`no problems or no retryInMs: ${JSON.stringify(record)}`);
    return { at: Date.parse(String(time)), problems: problems.map(String), retryInMs };
  });
}

/** Waits until so many threads have failed to start; fails when the service ends. */
export function failures(service: RunningService, count: number): Promise<ThreadFailure[]> {
  return until(() => {
    if (service.ended) throw new Error(`the service ended ${JSON.stringify(service.ended)}: ${service.stderr.slice(-5).join(' | ')}`);
    const found = failuresOf(service);
    return found.length >= count ? found : undefined;
  }, `${count} thread-failed records`);
}
