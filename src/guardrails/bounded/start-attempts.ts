const firstPauseMs = 100;
const longestPauseMs = 30_000;
/** So many attempts in a row have to fail before it counts as hopeless. */
const fewAttempts = 4;

/** When to try again to start a thread: after a pause that doubles with each attempt in a row that fails. */
export class StartAttempts {
  readonly #onRetry: () => void;
  #failedInARow = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(onRetry: () => void) {
    this.#onRetry = onRetry;
  }

  /** Whether no attempt is to be made yet. */
  get isWaiting(): boolean {
    return this.#pause !== undefined;
  }

  /**
   * A thread could not start. Says whether that is hopeless: several attempts in a row have failed and no other
   * thread runs. It is then for the next job to try again; else `onRetry` is called after the pause.
   */
  failed({ othersRun }: { readonly othersRun: boolean }): boolean {
    this.stopWaiting();
    this.#failedInARow++;
    if (!othersRun && this.#failedInARow >= fewAttempts) return true;
    const pauseMs = Math.min(firstPauseMs * 2 ** (this.#failedInARow - 1), longestPauseMs);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#onRetry();
    }, pauseMs);
    // Nothing but the pause keeps a process alive whose jobs wait for a first thread.
    if (othersRun) this.#pause.unref();
    return false;
  }

  succeeded(): void {
    this.stopWaiting();
    this.#failedInARow = 0;
  }

  /** An attempt may be made at once. */
  stopWaiting(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }
}
