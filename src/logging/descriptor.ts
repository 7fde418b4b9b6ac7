import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** The descriptor of the process's stdout, or of its stderr. */
export type StandardDescriptor = 1 | 2;

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Opens a standard descriptor such that a write that its reader does not take fails with EAGAIN, where one to the
 * descriptor itself would stop the thread within the kernel.
 */
export function openWithoutBlocking(descriptor: StandardDescriptor): number {
  return neverBlocks(descriptor) ? descriptor : (reopened(descriptor) ?? sharedWithoutBlocking(descriptor));
}

/**
 * Makes a standard descriptor one that worker threads can open without blocking. The main thread calls it before it
 * starts them: a thread that cannot open the descriptor anew writes to the shared one, and cannot change that.
 */
export function neverBlock(descriptor: StandardDescriptor): void {
  const opened = openWithoutBlocking(descriptor);
  if (opened !== descriptor) closeSync(opened);
}

/** A file takes every write; a descriptor that somebody has closed fails every write. */
function neverBlocks(descriptor: StandardDescriptor): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return true;
  }
}

/**
 * Linux opens a pipe or terminal anew through /proc, with flags of its own: no process that shares the old one notices. It
 * refuses for a socket, and for a pipe whose reader is gone or that belongs to another user.
 */
function reopened(descriptor: StandardDescriptor): number | undefined {
  try {
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}

/**
 * Node makes a pipe or socket non-blocking for everybody who shares it once it opens its own stream on it. A child process that
 * inherits it undoes that (libuv's uv__process_child_init). It stays undone: the child expects to write without EAGAIN. A
 * terminal that belongs to another user goes on blocking too, since Node has its stream on a terminal block.
 */
function sharedWithoutBlocking(descriptor: StandardDescriptor): number {
  if (!isMainThread) return descriptor;
  return descriptor === 1 ? process.stdout.fd : process.stderr.fd;
}
