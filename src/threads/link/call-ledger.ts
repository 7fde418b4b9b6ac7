/** Where the numbers are: the sequence of the next call that may begin, how many run, and how long one has taken of late. */
const next = 0;
const running = 1;
const averageMicroseconds = 2;
const numbers = 3;

/** The weight of one more call in the average. */
const weight = 0.1;
const longestMicroseconds = 2 ** 31 - 1;

// Taken before any pack code runs, which may replace it.
const now = performance.now.bind(performance);

/**
 * What a thread and the main thread know of the thread's calls at any time, in memory that both see: a
 * message would say it later. Above all, whose a call is that was posted ahead of its turn: the thread
 * begins it by moving the next sequence past it; the main thread takes back all that have not begun by
 * moving it past the last one posted. Either happens in one atomic step, so that a call begins once or not
 * at all, and it is always known which.
 */
export class CallLedger {
  readonly #numbers: Int32Array;
  /** For the thread, where one call runs at a time. */
  #beganAt = 0;
  #averageMicroseconds: number | undefined;

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Int32Array(memory);
  }

  /** Memory for one thread; its first call has sequence 0. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(numbers * Int32Array.BYTES_PER_ELEMENT);
  }

  /** For the thread: whether it may begin the call; not if it was taken back. */
  claim(sequence: number): boolean {
    if (Atomics.compareExchange(this.#numbers, next, sequence, sequenceAfter(sequence)) !== sequence) return false;
    Atomics.add(this.#numbers, running, 1);
    this.#beganAt = now();
    return true;
  }

  /** For the thread: a call that it began is over. */
  finish(): void {
    const microseconds = (now() - this.#beganAt) * 1000;
    const average = (this.#averageMicroseconds ??= microseconds);
    this.#averageMicroseconds = average + weight * (microseconds - average);
    Atomics.store(this.#numbers, averageMicroseconds, Math.min(Math.ceil(this.#averageMicroseconds), longestMicroseconds));
    Atomics.sub(this.#numbers, running, 1);
  }

  /** For the main thread: how many calls before `end` have not begun. */
  unbegun(end: number): number {
    return (end - Atomics.load(this.#numbers, next)) | 0;
  }

  /** For the main thread: how many calls have begun and are not over. */
  get running(): number {
    return Atomics.load(this.#numbers, running);
  }

  /** For the main thread: how long a call takes of late, in milliseconds, where one runs at a time; Infinity until the first is over. */
  get averageMs(): number {
    const average = Atomics.load(this.#numbers, averageMicroseconds);
    return average === 0 ? Infinity : average / 1000;
  }

  /** For the main thread: takes back every call before `end` that has not begun, and answers the first of them. */
  takeBack(end: number): number {
    return Atomics.exchange(this.#numbers, next, end);
  }
}

/** Sequences are 32-bit integers and go round. */
export function sequenceAfter(sequence: number): number {
  return (sequence + 1) | 0;
}
