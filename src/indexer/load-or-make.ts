import { BootError } from '../packs/boot-error.js';
import type { Environment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { checkIndex, loadIndex } from '../packs/load-index.js';
import { locateIndex } from '../packs/locate.js';
import { nameArtifact } from './artifact.js';
import { configNames, findConfig } from './config.js';
import { hasErrors, indexPack } from './index-pack.js';
import { describeProblem, type Problem } from './problem.js';
import { indexText } from './write-index.js';

/** How pack code is held while its sources are read. */
export interface MakeOptions {
  readonly environment: Environment;
  readonly envFilter: 'on' | 'off';
  readonly loadTimeoutMs: number;
  /** Which to go by in a folder that has both an index.json and sources. */
  readonly prefer: 'index' | 'sources';
  /** The artifact version before: that of an index made here is another one. */
  readonly replaces?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sources whose index must not be used, with everything that was found in them. */
export class SourcesRefused extends BootError {
  readonly found: readonly Problem[];

  constructor(found: readonly Problem[]) {
    super(found.filter(({ severity }) => severity === 'error').map(describeProblem));
    this.found = found;
  }
}

/**
 * The index to serve by, and the folder that module paths start from: read from a file or a folder's
 * index.json, else made in memory of the folder's sources, and checked like one that was read. Throws
 * BootError with every problem.
 */
export async function loadOrMakeIndex(path: string, options: MakeOptions): Promise<{ readonly index: IndexFile; readonly folder: string }> {
  const located = await locateIndex(path);
  const { folder } = located;
  const hasSources = findConfig(folder) !== undefined;
  const isChoice = options.prefer === 'sources' && hasSources && located.kind === 'file' && path === folder;
  if (located.kind === 'file' && !isChoice) return { index: await loadIndex(located.path), folder };
  if (!hasSources) throw new BootError([`Cannot read the pack index: ${folder} holds neither index.json nor any of ${configNames.join(', ')}.`]);
  const { index, problems } = await indexPack(folder, { ...options, artifact: nameArtifact({}, options.replaces), bundleMap: new Map() });
  if (index === undefined || hasErrors(problems)) throw new SourcesRefused(problems);
  return { index: checkIndex(JSON.parse(indexText(index)), folder), folder };
}
