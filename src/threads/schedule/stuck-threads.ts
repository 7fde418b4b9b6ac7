import type { Thread } from './thread.js';

/** An ended thread that is still there after so long is held by native code; on a busy machine one takes a second or two to go. */
const stuckAfterMs = 5_000;

/** Counts threads that were ended and are still there: a native call that does not return holds them. */
export class StuckThreads {
  /** Ended, and still there. */
  readonly #leaving = new Set<Thread>();
  readonly #stuck = new Set<Thread>();
  readonly #onChange: (count: number) => void;

  constructor(onChange: (count: number) => void) {
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#stuck.size;
  }

  /** The threads that were ended and are still there, stuck or about to go. */
  get leaving(): readonly Thread[] {
    return [...this.#leaving];
  }

  /** Keeps an eye on a thread that has been ended. */
  watch(thread: Thread): void {
    this.#leaving.add(thread);
    const timer = setTimeout(() => {
      this.#stuck.add(thread);
      this.#onChange(this.count);
    }, stuckAfterMs).unref();
    void thread.gone.then(() => {
      clearTimeout(timer);
      this.#leaving.delete(thread);
      if (this.#stuck.delete(thread)) this.#onChange(this.count);
    });
  }
}
