import type { Clock } from './clock.js';
import type { Thread } from './thread.js';

const firstRetryMs = 100;
const longestRetryMs = 30_000;

/**
 * What is done after a thread could not start. One thread at a time tries again, after a wait that doubles with each
 * attempt, not with each thread: when what was missing is back, eight threads return as soon as one. The attempt that
 * succeeds ends it.
 */
export class BackOff {
  readonly #clock: Clock;
  readonly #attempt: () => Thread | undefined;
  #problems: readonly string[] | undefined;
  #attempts = 0;
  /** The thread that makes the attempt under way. */
  #attempting: Thread | undefined;
  #isWaiting = false;

  /** `attempt` starts one thread, and returns it if there may be one now. */
  constructor(clock: Clock, attempt: () => Thread | undefined) {
    this.#clock = clock;
    this.#attempt = attempt;
  }

  /** Why threads cannot be started; undefined when they can, as far as is known. */
  get problems(): readonly string[] | undefined {
    return this.#problems;
  }

  /** A thread could not start. Returns after how many milliseconds the next attempt is made; undefined where one is on its way already. */
  onFailure(thread: Thread | undefined, problems: readonly string[]): number | undefined {
    const isOfThisAttempt = this.#isWaiting || (this.#attempting !== undefined && this.#attempting !== thread);
    this.#problems = problems;
    if (isOfThisAttempt) return undefined;
    this.#attempting = undefined;
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#attempts);
    this.#attempts++;
    this.#waitFor(waitMs);
    return waitMs;
  }

  /** A thread serves. Only the one that was tried after the failure tells that others can. */
  onSuccess(thread: Thread): void {
    if (thread !== this.#attempting) return;
    this.#attempting = undefined;
    this.#problems = undefined;
    this.#attempts = 0;
  }

  #waitFor(ms: number): void {
    this.#isWaiting = true;
    this.#clock.after(ms, () => {
      this.#isWaiting = false;
      this.#attempting = this.#attempt();
      // No room for a thread now: the attempt is put off, and not counted.
      if (this.#attempting === undefined) this.#waitFor(ms);
    });
  }
}
