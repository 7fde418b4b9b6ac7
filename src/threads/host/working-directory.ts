import { isMainThread } from 'node:worker_threads';

/**
 * Moves the process to `/` when its working directory was removed, such as the folder of an old release. No thread
 * starts in a removed folder: Node asks for the working directory first and gets ENOENT. A thread cannot
 * move its process, so this does nothing on one.
 */
export function leaveRemovedFolder(): void {
  if (!isMainThread) return;
  try {
    // The main thread caches its working directory until it changes it.
    process.chdir('.');
    process.cwd();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') process.chdir('/');
  }
}
