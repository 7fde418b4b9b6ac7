/** The time that the scheduler goes by; a test gives one that it moves by hand. */
export interface Clock {
  /** Milliseconds since some fixed moment; never goes back. */
  now(): number;
  /** Runs an action once, so many milliseconds from now. */
  after(ms: number, action: () => void): Timer;
}

/** An action that has yet to run. */
export interface Timer {
  cancel(): void;
}

/** The process's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** A clock whose timers all end with their owner: nothing happens once it is closed. */
export class OwnedClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, action: () => void): Timer {
    if (this.#isClosed) return { cancel: () => {} };
    const timer = this.#clock.after(ms, () => {
      this.#timers.delete(owned);
      action();
    });
    const owned: Timer = {
      cancel: () => {
        this.#timers.delete(owned);
        timer.cancel();
      },
    };
    this.#timers.add(owned);
    return owned;
  }

  /** Cancels every timer, and takes no further one. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
  }
}
