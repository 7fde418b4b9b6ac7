import type { Clock, Timer } from '../../src/threads/schedule/clock.js';

interface FakeTimer {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** A clock that a test moves by hand. */
export class FakeClock implements Clock {
  readonly #timers = new Set<FakeTimer>();
  #now = 0;
  #order = 0;

  /** How many timers have yet to run. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, action: () => void): Timer {
    const timer = { at: this.#now + ms, order: this.#order++, action };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Moves on by so many milliseconds, and runs on the way what is due, in its order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#nextBy(end); next !== undefined; next = this.#nextBy(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.action();
    }
    this.#now = end;
  }

  #nextBy(end: number): FakeTimer | undefined {
    let next: FakeTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }
}
