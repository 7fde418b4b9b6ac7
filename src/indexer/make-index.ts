import type { Environment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { checkIndex } from '../packs/load-index.js';
import { nameArtifact } from './artifact.js';
import { hasErrors, indexPack } from './index-pack.js';
import { SourcesRefused } from './sources-refused.js';
import { indexText } from './write-index.js';

/** How pack code is held while its sources are read. */
export interface MakeOptions {
  readonly environment: Environment;
  readonly envFilter: 'on' | 'off';
  readonly loadTimeoutMs: number;
  /** The artifact version before: that of an index made here is another one. */
  readonly replaces?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes the index of a folder's sources in memory, and checks it like one that was read. Throws SourcesRefused with every problem. */
export async function makeIndex(folder: string, options: MakeOptions): Promise<IndexFile> {
  const { index, problems } = await indexPack(folder, { ...options, artifact: nameArtifact({}, options.replaces), bundleMap: new Map() });
  if (index === undefined || hasErrors(problems)) throw new SourcesRefused(problems);
  return checkIndex(JSON.parse(indexText(index)), folder);
}
