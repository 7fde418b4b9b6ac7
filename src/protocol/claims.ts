/**
 * Whose a call is that was posted to a thread ahead of its turn. One number, in memory that both sides
 * see, is the sequence of the next call that may begin. The thread begins a call by moving the number
 * past it; the main thread takes back all that have not begun by moving it past the last one posted.
 * Either happens in one atomic step, so that a call begins once or not at all, and it is always known which.
 */
export class Claims {
  readonly #next: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#next = new Int32Array(memory);
  }

  /** Memory for one thread; its first call has sequence 0. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(4);
  }

  /** The sequence of the next call that may begin. */
  get next(): number {
    return Atomics.load(this.#next, 0);
  }

  /** For the thread: whether it may begin the call; not if it was taken back. */
  claim(sequence: number): boolean {
    return Atomics.compareExchange(this.#next, 0, sequence, sequenceAfter(sequence)) === sequence;
  }

  /** For the main thread: takes back every call before `end` that has not begun, and answers the first of them. */
  takeBack(end: number): number {
    return Atomics.exchange(this.#next, 0, end);
  }
}

/** Sequences are 32-bit integers and go round. */
export function sequenceAfter(sequence: number): number {
  return (sequence + 1) | 0;
}
