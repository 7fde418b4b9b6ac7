import type { Clock, Timer } from './clock.js';
import type { Thread } from './thread.js';

/** A thread that has begun no further call for so long, in milliseconds, gives back those that wait behind a running one. */
const patienceMs = 5;
/** A thread that runs nothing and has still not begun its call is given so long: a busy machine wakes it late. */
const wakePatienceMs = 10;
/** Patience doubles each time a call is taken back, so that no call goes round forever; so often at most. */
const mostDoublings = 8;
/** A thread that runs no call and has not responded for so long is ended, or for as long as the grace where that is longer. */
const longestSilenceMs = 1_000;

/** What the watch tells. */
export interface StallHooks {
  /** The calls that the thread has not begun should go elsewhere. */
  onStalled(thread: Thread): void;
  /** What an earlier call left behind has held the thread for too long. */
  onSilent(thread: Thread, silenceMs: number): void;
}

/**
 * Watches the calls that were posted and have not begun: none of them is ever stuck behind a busy thread. A thread that
 * runs nothing and begins nothing is not chosen again until it has responded.
 */
export class StallWatch {
  readonly #threads: ReadonlySet<Thread>;
  readonly #silenceMs: number;
  readonly #clock: Clock;
  readonly #hooks: StallHooks;
  #timer: Timer | undefined;

  constructor(threads: ReadonlySet<Thread>, graceMs: number, clock: Clock, hooks: StallHooks) {
    this.#threads = threads;
    this.#silenceMs = Math.max(graceMs, longestSilenceMs);
    this.#clock = clock;
    this.#hooks = hooks;
  }

  /** A call was posted: looks after it until it has begun. */
  watch(): void {
    this.#timer ??= this.#clock.after(patienceMs, () => {
      this.#timer = undefined;
      this.#look();
    });
  }

  /** Nothing more is posted to the thread until its event loop has turned. */
  askWhetherAwake(thread: Thread): void {
    thread.askWhetherAwake();
    this.#endIfSilent(thread);
  }

  #look(): void {
    const now = this.#clock.now();
    let isSomeUnbegun = false;
    for (const thread of this.#threads) {
      if (thread.unbegun === 0) continue;
      if (now - thread.movedAt >= patienceWith(thread)) this.#hooks.onStalled(thread);
      else isSomeUnbegun = true;
    }
    if (isSomeUnbegun) this.watch();
  }

  #endIfSilent(thread: Thread): void {
    const { silentSince } = thread;
    this.#clock.after(this.#silenceMs, () => {
      // It may have responded meanwhile, and been asked again.
      if (thread.isAwake || thread.silentSince !== silentSince || thread.state !== 'serving') return;
      // The calls that it has are judged by their own deadlines.
      if (thread.calls.length > 0) this.#endIfSilent(thread);
      else this.#hooks.onSilent(thread, this.#silenceMs);
    });
  }
}

function patienceWith(thread: Thread): number {
  const next = thread.calls[thread.calls.length - thread.unbegun];
  const base = thread.running > 0 ? patienceMs : wakePatienceMs;
  return base * 2 ** Math.min(next?.timesTakenBack ?? 0, mostDoublings);
}
