import { BootError } from '../packs/boot-error.js';
import type { Environment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { checkIndex, loadIndex } from '../packs/load-index.js';
import { locateIndex } from '../packs/locate.js';
import { nameArtifact } from './artifact.js';
import { configNames, findConfig } from './config.js';
import { hasErrors, indexPack } from './index-pack.js';
import { describeProblem } from './problem.js';
import { indexText } from './write-index.js';

/** How pack code is held while its sources are read. */
export interface MakeOptions {
  readonly environment: Environment;
  readonly envFilter: 'on' | 'off';
  readonly loadTimeoutMs: number;
}

/**
 * The index to serve by, and the folder that module paths start from: read from a file or a folder's
 * index.json, else made in memory of the folder's sources, and checked like one that was read. Throws
 * BootError with every problem.
 */
export async function loadOrMakeIndex(path: string, options: MakeOptions): Promise<{ readonly index: IndexFile; readonly folder: string }> {
  const located = await locateIndex(path);
  const { folder } = located;
  if (located.kind === 'file') return { index: await loadIndex(located.path), folder };
  if (findConfig(folder) === undefined) throw new BootError([`Cannot read the pack index: ${folder} holds neither index.json nor any of ${configNames.join(', ')}.`]);
  const { index, problems } = await indexPack(folder, { ...options, artifact: await nameArtifact({}, undefined), bundleMap: new Map() });
  if (index === undefined || hasErrors(problems)) throw new BootError(problems.filter(({ severity }) => severity === 'error').map(describeProblem));
  return { index: checkIndex(JSON.parse(indexText(index)), folder), folder };
}
