import { threadCpuMs } from '../../isolation/cpu-clock.js';
import type { MemoryProbe } from '../../isolation/memory-probe.js';
import type { Profile } from '../../isolation/profile.js';
import type { Excess, PooledCall } from './call.js';
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
 * The heap alone is bounded by the thread's resourceLimits; here it is heap and buffers together.
 */
export class LimitWatch {
  readonly #profile: Profile;
  readonly #onExcess: (thread: Thread, call: PooledCall, excess: Excess) => void;
  readonly #watched = new Map<PooledCall, Watched>();
  readonly #probe: MemoryProbe | undefined;
  /** Threads that are being asked, or were found to hold much garbage a moment ago. */
  readonly #unasked = new Set<Thread>();
  #timer: NodeJS.Timeout | undefined;

  /** `probe`: needed for a profile with `memMB`. */
  constructor(profile: Profile, probe: MemoryProbe | undefined, onExcess: (thread: Thread, call: PooledCall, excess: Excess) => void) {
    this.#profile = profile;
    this.#probe = probe;
    this.#onExcess = onExcess;
  }

  /** A call begins on a thread of its own. */
  begin(thread: Thread, call: PooledCall): void {
    this.#watched.set(call, { thread, cpuMsAtStart: this.#profile.cpuMs === undefined ? undefined : busyMs(thread) });
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** The call is over. */
  finish(call: PooledCall): void {
    this.#watched.delete(call);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    for (const [call, watched] of this.#watched) {
      this.#checkCpu(call, watched);
      if (this.#watched.has(call)) void this.#checkMemory(call, watched.thread);
    }
  }

  #checkCpu(call: PooledCall, { thread, cpuMsAtStart }: Watched): void {
    const value = this.#profile.cpuMs;
    const now = value === undefined ? undefined : busyMs(thread);
    if (value === undefined || now === undefined || cpuMsAtStart === undefined) return;
    const used = Math.round(now - cpuMsAtStart);
    if (used > value) this.#exceed(thread, call, { limit: 'cpuMs', value, used });
  }

  async #checkMemory(call: PooledCall, thread: Thread): Promise<void> {
    const value = this.#profile.memMB;
    const threadId = thread.identity?.threadId;
    if (value === undefined || this.#probe === undefined || threadId === undefined || this.#unasked.has(thread)) return;
    this.#unasked.add(thread);
    let askAgainInMs = 0;
    try {
      const held = await this.#probe.held(threadId);
      if (held === undefined || held <= value * mebibyte || !this.#watched.has(call)) return;
      // Much of it may be garbage that nobody had a reason to collect yet.
      askAgainInMs = afterCollectionMs;
      const kept = await this.#probe.heldAfterCollection(threadId);
      if (kept === undefined || kept <= value * mebibyte || !this.#watched.has(call)) return;
      this.#exceed(thread, call, { limit: 'memMB', value, used: Math.ceil(kept / mebibyte) });
    } finally {
      if (askAgainInMs === 0) this.#unasked.delete(thread);
      else setTimeout(() => this.#unasked.delete(thread), askAgainInMs).unref();
    }
  }

  #exceed(thread: Thread, call: PooledCall, excess: Excess): void {
    this.finish(call);
    this.#onExcess(thread, call, excess);
  }
}

function busyMs(thread: Thread): number | undefined {
  const native = thread.identity?.nativeThreadId;
  return native === undefined ? undefined : threadCpuMs(native);
}
