import { residentMiB, threadCount } from '../../measure/process-usage.js';

/** The process at one moment, seconds after the first call. */
export interface Sample {
  readonly second: number;
  readonly residentMiB: number;
  readonly threads: number;
}

/** Looks at a process every second. */
export class Sampler {
  readonly samples: Sample[] = [];
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#look(), 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    try {
      this.samples.push({ second: (performance.now() - this.#startedAt) / 1000, residentMiB: residentMiB(this.#pid), threads: threadCount(this.#pid) });
    } catch {
      // The process is gone, which its own exit tells.
    }
  }
}
