import type { Writable } from 'node:stream';
import { writeAll } from '../../src/logging/write-all.js';

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
