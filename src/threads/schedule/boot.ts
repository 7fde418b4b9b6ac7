import type { Clock } from './clock.js';

/** So often, at most, a thread is asked for while there is none. */
const mostAttempts = 3;
const firstRetryMs = 100;

/** What starting the first threads came to. `missing` says why some did not start although others did. */
export interface Booted {
  readonly problems: readonly string[];
  readonly missing: string | undefined;
}

/**
 * Starts the first threads of a scheduler. A pack that one of them cannot load is not served. With fewer threads than
 * were asked for it is; with none, one thread is tried again before that is a problem.
 */
export class Boot {
  readonly #clock: Clock;
  readonly #start: () => void;
  readonly #done: (booted: Booted) => void;
  readonly #startedAt: number;
  #pending = 0;
  #attempts = 0;
  #ready = 0;
  #unloadable: readonly string[] | undefined;
  #missing: string | undefined;
  #isOver = false;

  /** `start` starts one thread; `done` is called once. */
  constructor(clock: Clock, start: () => void, done: (booted: Booted) => void) {
    this.#clock = clock;
    this.#start = start;
    this.#done = done;
    this.#startedAt = clock.now();
  }

  /** Starts so many threads. What becomes of each is told by the methods below. */
  attempt(threads: number): void {
    this.#attempts++;
    this.#pending = threads;
    for (let started = 0; started < threads; started++) this.#start();
  }

  onReady(): void {
    this.#ready++;
    this.#settleOne();
  }

  onUnloadable(problems: readonly string[]): void {
    this.#unloadable ??= problems;
    this.#settleOne();
  }

  onNotStarted(reason: string): void {
    this.#missing = reason;
    this.#settleOne();
  }

  /** Its scheduler is closed: nobody waits for it any more. */
  giveUp(): void {
    this.#end({ problems: [], missing: undefined });
  }

  #settleOne(): void {
    if (--this.#pending > 0 || this.#isOver) return;
    if (this.#unloadable !== undefined) this.#end({ problems: this.#unloadable, missing: undefined });
    else if (this.#ready > 0) this.#end({ problems: [], missing: this.#missing });
    else if (this.#attempts < mostAttempts) this.#clock.after(firstRetryMs * 2 ** (this.#attempts - 1), () => this.attempt(1));
    else this.#end({ problems: [this.#noThread()], missing: undefined });
  }

  #noThread(): string {
    const withinMs = Math.round(this.#clock.now() - this.#startedAt);
    return `No worker thread could be started: ${this.#missing ?? 'no reason was given'} (tried ${this.#attempts} times within ${withinMs} ms)`;
  }

  #end(booted: Booted): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#done(booted);
  }
}
