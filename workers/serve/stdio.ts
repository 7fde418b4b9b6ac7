import type { Writable } from 'node:stream';
import type { Output } from '../../src/logging/output.js';
import type { ThreadLog } from '../../src/threads/link/messages.js';
import { threadOutput } from './thread-output.js';

interface Piece {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

/**
 * Sends what pack code prints straight to the process's stdout and stderr, or all of it to stderr. Node would pass it through
 * the main thread: a flood from one handler would hold up every call, and what a thread printed
 * right before its end would be lost.
 */
export function printDirectly(log: ThreadLog): void {
  redirect(process.stdout, threadOutput(log.prints === 'stderr' ? 2 : 1, log));
  redirect(process.stderr, threadOutput(2, log));
}

function redirect(stream: Writable, output: Output): void {
  stream._writev = (pieces: Piece[], done: (error?: Error | null) => void): void => {
    for (const { chunk, encoding } of pieces) output.writeBytes(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
    done();
  };
}
