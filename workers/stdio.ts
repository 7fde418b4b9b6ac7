import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

interface Piece {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

/**
 * Sends what pack code prints straight to the process's stdout and stderr, or all of it to stderr. Node would pass it through
 * the main thread: a flood from one handler would hold up every call, and what a thread printed
 * right before its end would be lost.
 */
export function printDirectly(prints: 'stdout' | 'stderr' = 'stdout'): void {
  redirect(process.stdout, prints === 'stdout' ? 1 : 2);
  redirect(process.stderr, 2);
}

function redirect(stream: Writable, descriptor: number): void {
  stream._writev = (pieces: Piece[], done: (error?: Error | null) => void): void => {
    for (const { chunk, encoding } of pieces) writeAll(descriptor, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
    done();
  };
}

const clock = new Int32Array(new SharedArrayBuffer(4));

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      // A reader that does not keep up holds this thread, and no other; one that is gone gets nothing.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(clock, 0, 0, 5);
    }
  }
}
