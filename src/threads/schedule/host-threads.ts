import type { Records } from '../../logging/records.js';
import { ThreadBudget } from './budget.js';
import { StuckThreads } from './stuck-threads.js';

export interface HostThreadsOptions {
  /** Of all profiles and generations together. */
  readonly maxThreads: number;
  /** How many threads may be held by native code before the service is given up. */
  readonly maxStuckThreads: number;
  /** Called when the service cannot go on, and must be restarted by whoever supervises it. */
  readonly onUnusable: () => void;
}

/** The threads of a whole service, whichever generation of its pack they run: how many there may be, and which of them native code holds. */
export class HostThreads {
  readonly budget: ThreadBudget;
  readonly stuck: StuckThreads;

  constructor({ maxThreads, maxStuckThreads, onUnusable }: HostThreadsOptions, records: Records) {
    this.budget = new ThreadBudget(maxThreads);
    this.stuck = new StuckThreads((count) => {
      records.threadsStuck(count, maxStuckThreads);
      if (count > maxStuckThreads) onUnusable();
    });
  }
}
