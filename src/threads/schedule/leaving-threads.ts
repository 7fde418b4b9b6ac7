import type { Clock } from './clock.js';
import type { Thread } from './thread.js';

/** An ended thread that is still there after so long is held by native code; on a busy machine one takes a second or two to go. */
const stuckAfterMs = 5_000;

/** Knows the threads that were ended and are still there, and counts those that a native call which does not return holds. */
export class LeavingThreads {
  readonly #leaving = new Set<Thread>();
  readonly #stuck = new Set<Thread>();
  readonly #clock: Clock;
  readonly #onChange: (stuck: number) => void;

  constructor(clock: Clock, onChange: (stuck: number) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** How many are held by native code. */
  get stuck(): number {
    return this.#stuck.size;
  }

  /** Those that are stuck, or about to go. */
  get threads(): readonly Thread[] {
    return [...this.#leaving];
  }

  /** A thread has been ended: watches it until it is gone. */
  watch(thread: Thread): void {
    this.#leaving.add(thread);
    const timer = this.#clock.after(stuckAfterMs, () => {
      this.#stuck.add(thread);
      this.#onChange(this.stuck);
    });
    const forget = (): void => {
      timer.cancel();
      this.#leaving.delete(thread);
      if (this.#stuck.delete(thread)) this.#onChange(this.stuck);
    };
    thread.gone.then(forget, forget);
  }
}
