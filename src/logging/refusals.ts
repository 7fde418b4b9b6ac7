import type { RefusalReason } from '../events/event.js';

/** How many calls were refused for each reason. */
export type RefusedCalls = { readonly [Reason in RefusalReason]?: number };

const periodMs = 1_000;

/**
 * Counts refused calls, and hands the counts on at most once a second: the first at once, then what each
 * second that follows has brought. A service that sheds load refuses thousands in that time.
 */
export class Refusals {
  readonly #handle: (refused: RefusedCalls) => void;
  #counts: { [Reason in RefusalReason]?: number } = {};
  #period: NodeJS.Timeout | undefined;

  constructor(handle: (refused: RefusedCalls) => void) {
    this.#handle = handle;
  }

  add(reason: RefusalReason): void {
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1;
    if (this.#period === undefined) this.#handleForPeriod();
  }

  /** Hands on at once what has been counted; returns whether that was anything. */
  flush(): boolean {
    const counts = this.#counts;
    if (Object.keys(counts).length === 0) return false;
    this.#counts = {};
    this.#handle(counts);
    return true;
  }

  #handleForPeriod(): void {
    this.#period = this.flush() ? setTimeout(() => this.#handleForPeriod(), periodMs).unref() : undefined;
  }
}
