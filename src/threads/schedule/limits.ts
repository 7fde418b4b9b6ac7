import type { Profile } from '../../isolation/profile.js';
import type { Excess, ScheduledCall } from './call.js';
import type { Clock, Timer } from './clock.js';
import type { Thread } from './thread.js';

interface Watched {
  readonly thread: Thread;
  readonly cpuMsAtStart: number | undefined;
}

const tickMs = 20;
/** A collection is dear: a thread that makes much garbage is not made to collect all the time. */
const afterCollectionMs = 100;
const mebibyte = 1024 * 1024;

/**
 * Watches the calls of a profile with limits from outside of their threads, which may be in a loop.
 * The heap alone is bounded by the thread itself; here it is heap and buffers together.
 */
export class LimitWatch {
  readonly #profile: Profile;
  readonly #clock: Clock;
  readonly #onExcess: (thread: Thread, call: ScheduledCall, excess: Excess) => void;
  readonly #watched = new Map<ScheduledCall, Watched>();
  /** Threads that are being asked, or were found to hold much garbage a moment ago. */
  readonly #unasked = new Set<Thread>();
  #timer: Timer | undefined;

  constructor(profile: Profile, clock: Clock, onExcess: (thread: Thread, call: ScheduledCall, excess: Excess) => void) {
    this.#profile = profile;
    this.#clock = clock;
    this.#onExcess = onExcess;
  }

  /** A call is given to a thread of its own. */
  begin(thread: Thread, call: ScheduledCall): void {
    this.#watched.set(call, { thread, cpuMsAtStart: this.#profile.cpuMs === undefined ? undefined : thread.cpuMs() });
    this.#tickSoon();
  }

  /** The call is over, or taken back. */
  finish(call: ScheduledCall): void {
    this.#watched.delete(call);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tickSoon(): void {
    this.#timer ??= this.#clock.after(tickMs, () => {
      this.#timer = undefined;
      for (const [call, watched] of this.#watched) {
        this.#checkCpu(call, watched);
        if (this.#watched.has(call)) this.#checkMemory(call, watched.thread);
      }
      if (this.#watched.size > 0) this.#tickSoon();
    });
  }

  #checkCpu(call: ScheduledCall, { thread, cpuMsAtStart }: Watched): void {
    const value = this.#profile.cpuMs;
    const now = value === undefined ? undefined : thread.cpuMs();
    if (value === undefined || now === undefined || cpuMsAtStart === undefined) return;
    const used = Math.round(now - cpuMsAtStart);
    if (used > value) this.#exceed(thread, call, { limit: 'cpuMs', value, used });
  }

  #checkMemory(call: ScheduledCall, thread: Thread): void {
    const value = this.#profile.memMB;
    if (value === undefined || this.#unasked.has(thread)) return;
    this.#unasked.add(thread);
    this.#heldTooMuch(call, thread, value).then(
      (looked) => {
        if (looked === 'collected') this.#clock.after(afterCollectionMs, () => this.#unasked.delete(thread));
        else this.#unasked.delete(thread);
      },
      // A thread that cannot be asked is asked again at the next tick.
      () => this.#unasked.delete(thread),
    );
  }

  async #heldTooMuch(call: ScheduledCall, thread: Thread, value: number): Promise<'looked' | 'collected'> {
    const held = await thread.heldBytes(false);
    if (held === undefined || held <= value * mebibyte || !this.#watched.has(call)) return 'looked';
    // Much of it may be garbage that nobody had a reason to collect yet.
    const kept = await thread.heldBytes(true);
    if (kept !== undefined && kept > value * mebibyte && this.#watched.has(call)) {
      this.#exceed(thread, call, { limit: 'memMB', value, used: Math.ceil(kept / mebibyte) });
    }
    return 'collected';
  }

  #exceed(thread: Thread, call: ScheduledCall, excess: Excess): void {
    this.finish(call);
    this.#onExcess(thread, call, excess);
  }
}
