import { once } from 'node:events';
import { relative, sep } from 'node:path';
import { watch } from 'chokidar';

/** An editor that saves all its files, or git, makes many changes at once: they are one, once there was none for so long. */
const quietMs = 50;
/** But no change waits longer than this for others. */
const longestMs = 250;

/** Tells of changes below a folder. */
export interface FolderWatch {
  /** Resolves once something has changed since it last did. */
  changed(): Promise<void>;
}

/**
 * Watches a folder, but for what `isIgnored` names by its path below the folder. Resolves when every later
 * change will be noticed. With chokidar: before Node 24 the recursive `fs.watch` of Linux watches all of
 * node_modules as well, and misses what is written into a folder just made.
 */
export async function watchFolder(folder: string, isIgnored: (path: string) => boolean): Promise<FolderWatch> {
  let hasChanged = false;
  let onSettled = (): void => {};
  let firstAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    firstAt = undefined;
    hasChanged = true;
    onSettled();
  };
  // A file put in place by renaming is a change at once, rather than once it is sure not to be gone.
  const watcher = watch(folder, { ignoreInitial: true, atomic: false, ignored: (path) => isIgnored(relative(folder, path).replaceAll(sep, '/')) });
  watcher.on('all', () => {
    firstAt ??= performance.now();
    clearTimeout(timer);
    timer = setTimeout(settle, Math.min(quietMs, Math.max(0, firstAt + longestMs - performance.now())));
  });
  // What cannot be watched, such as a file that is gone again, is no reason to end.
  watcher.on('error', () => {});
  await once(watcher, 'ready');
  return {
    async changed() {
      if (!hasChanged) await new Promise<void>((resolve) => (onSettled = resolve));
      hasChanged = false;
    },
  };
}
