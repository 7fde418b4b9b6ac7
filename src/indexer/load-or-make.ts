import { BootError } from '../packs/boot-error.js';
import type { IndexFile } from '../packs/index-file.js';
import { loadIndex } from '../packs/load-index.js';
import { configNames, findConfig, locateIndex } from '../packs/locate.js';
import type { MakeOptions } from './index-pack.js';

/** How an index is come by, and made where there is none. */
export interface LoadOrMakeOptions extends MakeOptions {
  /** Which to go by in a folder that has both an index.json and sources. */
  readonly prefer: 'index' | 'sources';
}

/**
 * The index to serve by, and the folder that module paths start from: read from a file or a folder's
 * index.json, else made in memory of the folder's sources. Throws BootError with every problem.
 */
export async function loadOrMakeIndex(path: string, options: LoadOrMakeOptions): Promise<{ readonly index: IndexFile; readonly folder: string }> {
  const located = await locateIndex(path);
  const { folder } = located;
  const hasSources = findConfig(folder) !== undefined;
  const isChoice = options.prefer === 'sources' && hasSources && located.kind === 'file' && path === folder;
  if (located.kind === 'file' && !isChoice) return { index: await loadIndex(located.path), folder };
  if (!hasSources) throw new BootError([`Cannot read the pack index: ${folder} holds neither index.json nor any of ${configNames.join(', ')}.`]);
  // Loaded where it is needed: a pack that comes with its index starts sooner without it.
  const { makeIndex } = await import('./index-pack.js');
  return { index: await makeIndex(folder, options), folder };
}
