import { writeSync } from 'node:fs';

const clock = new Int32Array(new SharedArrayBuffer(4));
const retryMs = 5;

/** Writes all of it before it returns, so that a kill right after loses nothing. A reader that does not keep up holds this thread; one that is gone gets nothing. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(clock, 0, 0, retryMs);
    }
  }
}
