import type { ScheduledCall } from './call.js';

/** The calls that wait for a thread, first come, first served. */
export class CallQueue {
  #calls = new Set<ScheduledCall>();

  get size(): number {
    return this.#calls.size;
  }

  /** When the call that is next in turn came; undefined when none waits. */
  get oldestArrival(): number | undefined {
    return this.#calls.values().next().value?.arrivedAt;
  }

  add(call: ScheduledCall): void {
    this.#calls.add(call);
  }

  /** Puts calls that were taken back before those that wait. */
  putBack(calls: readonly ScheduledCall[]): void {
    if (calls.length > 0) this.#calls = new Set([...calls, ...this.#calls]);
  }

  /** Takes a call out; returns whether it was there. */
  delete(call: ScheduledCall): boolean {
    return this.#calls.delete(call);
  }

  /** Takes all of them out. */
  clear(): ScheduledCall[] {
    const calls = [...this.#calls];
    this.#calls.clear();
    return calls;
  }

  /** In their turn; calls may be deleted on the way. */
  [Symbol.iterator](): Iterator<ScheduledCall> {
    return this.#calls.values();
  }
}
