import { writeSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWithoutBlocking, type StandardDescriptor } from './descriptor.js';

/** How an output treats a reader that does not take what is written. */
export interface OutputOptions {
  /** How many bytes may wait for it. */
  readonly bufferBytes: number;
  /** How long a write waits for a reader that takes nothing at all. The main thread has no such time. */
  readonly patienceMs?: number;
  /** Reports how many lines did not fit into the buffer, once the reader is back. */
  readonly onLost: (lines: number) => void;
}

/** How many bytes may wait unless a setting says otherwise. */
export const defaultBufferBytes = 1024 * 1024;

/** A pipe takes a write of up to PIPE_BUF bytes whole or not at all (pipe(7)): no other thread's bytes come to lie within its lines. */
const wholeBytes = 4_096;
const lineEnd = 0x0a;
const retryMs = 20;
const pauseMs = 1;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));
const nothing = new Uint8Array(0);

/**
 * Where lines go that must not be held up by their reader: stdout or stderr. What the reader takes is out when the call
 * that wrote it returns, so that a kill right after loses none of it. What it does not take waits in a bounded buffer, in
 * its order; lines that do not fit are counted. Once a reader is gone, lines are dropped without a word.
 */
export class Output {
  readonly #standard: StandardDescriptor;
  readonly #bufferBytes: number;
  readonly #patienceMs: number;
  readonly #onLost: (lines: number) => void;
  /** Pieces of whole lines, of which the first may be begun. */
  readonly #waiting: Uint8Array[] = [];
  #descriptor: number | undefined;
  #waitingBytes = 0;
  #lostLines = 0;
  /** Whether the reader took nothing for as long as a write waits. */
  #isStalled = false;
  #retry: NodeJS.Timeout | undefined;
  #together: string | undefined;

  constructor(descriptor: StandardDescriptor, { bufferBytes, patienceMs = 0, onLost }: OutputOptions) {
    this.#standard = descriptor;
    this.#bufferBytes = bufferBytes;
    this.#patienceMs = patienceMs;
    this.#onLost = onLost;
  }

  /** Writes a line, its end included. */
  write(line: string): void {
    if (this.#together === undefined) this.writeBytes(Buffer.from(line));
    else this.#together += line;
  }

  /** Writes the lines that `work` writes in one go. */
  together(work: () => void): void {
    this.#together = '';
    try {
      work();
    } finally {
      const lines = this.#together;
      this.#together = undefined;
      if (lines !== '') this.writeBytes(Buffer.from(lines));
    }
  }

  /** Writes bytes, which are the caller's again when the call returns. */
  writeBytes(bytes: Uint8Array): void {
    this.#writeWaiting(this.#patienceMs);
    for (let start = 0; start < bytes.length; ) {
      const end = endOfPiece(bytes, start);
      const piece = bytes.subarray(start, end);
      const left = this.#waiting.length === 0 ? this.#writeNow(piece, this.#patienceMs) : piece;
      if (left.length > 0) this.#keep(left, left.length < piece.length);
      start = end;
    }
  }

  /** Resolves when nothing waits any more, or the time is over. */
  async flush(withinMs: number): Promise<void> {
    const endsAt = performance.now() + withinMs;
    for (this.#goOn(); this.#isBehind && performance.now() < endsAt; this.#goOn()) await sleep(retryMs);
  }

  get #isBehind(): boolean {
    return this.#waiting.length > 0 || this.#lostLines > 0;
  }

  /** Writes until the reader takes no more, even after the patience; returns what is left. */
  #writeNow(bytes: Uint8Array, patienceMs: number): Uint8Array {
    this.#descriptor ??= openWithoutBlocking(this.#standard);
    let giveUpAt: number | undefined;
    for (let left = bytes; ; ) {
      const taken = tryToWrite(this.#descriptor, left);
      if (taken === 'reader gone') return nothing;
      if (taken > 0) {
        this.#isStalled = false;
        giveUpAt = undefined;
        if (taken === left.length) return nothing;
        left = left.subarray(taken);
      } else if (patienceMs === 0 || this.#isStalled) {
        return left;
      } else {
        const now = performance.now();
        giveUpAt ??= now + patienceMs;
        this.#isStalled = now >= giveUpAt;
        // Unlike a write that blocks in the kernel, this ends when the thread is terminated.
        Atomics.wait(nobodyWakes, 0, 0, pauseMs);
      }
    }
  }

  #writeWaiting(patienceMs: number): void {
    for (let piece = this.#waiting[0]; piece !== undefined; piece = this.#waiting[0]) {
      const left = this.#writeNow(piece, patienceMs);
      this.#waitingBytes -= piece.length - left.length;
      if (left.length > 0) {
        this.#waiting[0] = left;
        return;
      }
      this.#waiting.shift();
    }
  }

  /** Keeps a piece until the reader takes it. The rest of one that is begun has its place: without it, a line would be broken. */
  #keep(piece: Uint8Array, isBegun: boolean): void {
    if (isBegun || this.#waitingBytes + piece.length <= this.#bufferBytes) {
      this.#waiting.push(Buffer.from(piece));
      this.#waitingBytes += piece.length;
    } else {
      this.#lostLines += linesIn(piece);
    }
    this.#retry ??= setInterval(() => this.#goOn(), retryMs).unref();
  }

  #goOn(): void {
    this.#writeWaiting(0);
    if (this.#waiting.length === 0 && this.#lostLines > 0) this.#reportLost();
    if (this.#isBehind) return;
    clearInterval(this.#retry);
    this.#retry = undefined;
  }

  #reportLost(): void {
    const lines = this.#lostLines;
    this.#lostLines = 0;
    this.#onLost(lines);
    // The report was lost in its turn. It is none of the lines to count, and follows later.
    if (this.#lostLines > 0) this.#lostLines = lines;
  }
}

/** How many bytes the reader took: none where it takes none at present. */
function tryToWrite(descriptor: number, bytes: Uint8Array): number | 'reader gone' {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : 'reader gone';
  }
}

/** Where the lines end that can be written whole; or the one line, where it is longer. */
function endOfPiece(bytes: Uint8Array, start: number): number {
  if (bytes.length - start <= wholeBytes) return bytes.length;
  const lastEnd = bytes.lastIndexOf(lineEnd, start + wholeBytes - 1);
  if (lastEnd >= start) return lastEnd + 1;
  const end = bytes.indexOf(lineEnd, start + wholeBytes);
  return end === -1 ? bytes.length : end + 1;
}

function linesIn(piece: Uint8Array): number {
  let lines = piece.at(-1) === lineEnd ? 0 : 1;
  for (let at = piece.indexOf(lineEnd); at !== -1; at = piece.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
}
