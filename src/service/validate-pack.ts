import { join } from 'node:path';
import { indexText, nameArtifact } from '../indexer/pack-index.js';
import { findConfig, locateIndex } from '../packs/locate.js';
import { hasErrors, indexPack } from '../indexer/index-pack.js';
import type { Problem } from '../indexer/problem.js';
import { defaultBufferBytes } from '../logging/output.js';
import { BootError } from '../packs/boot-error.js';
import { type Environment, packEnvironment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { checkIndex, loadIndex } from '../packs/load-index.js';
import { openPack } from '../packs/pack.js';
import { ServiceThreads, settingsOfACommand } from '../threads/service-threads.js';

export interface ValidateOptions {
  readonly environment: Environment;
  readonly envFilter: 'on' | 'off';
  readonly loadTimeoutMs: number;
  readonly bundleMap: string | undefined;
}

/** What validating came to; with an error among the problems the pack would not be served. */
export interface Validated {
  /** Absent when there is none to be had. */
  readonly index: IndexFile | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Finds everything that indexing or a boot would refuse, by doing both: a folder with a config is
 * indexed, an index is read, and threads load the pack as a service's do. Nothing is written or served.
 */
export async function validatePack(path: string, options: ValidateOptions): Promise<Validated> {
  const located = await locateIndex(path);
  const { folder } = located;
  const fromSources = located.kind === 'sources' || (path === folder && findConfig(folder) !== undefined);
  const file = fromSources ? '' : located.path.slice(join(folder, '/').length);
  const problems: Problem[] = [];
  let index: IndexFile | undefined;
  try {
    if (fromSources) {
      const made = await indexPack(folder, { ...options, artifact: nameArtifact({}, undefined), bundleMap: new Map() });
      problems.push(...made.problems);
      if (made.index === undefined || hasErrors(problems)) return { index, problems };
      index = checkIndex(JSON.parse(indexText(made.index)), folder);
    } else {
      index = await loadIndex(located.path);
    }
    const warnings = await tryBoot(index, folder, options);
    // Of sources, the indexer has told already.
    if (!fromSources) problems.push(...warnings.map((message) => ({ severity: 'warning', file, field: '', rule: 'json-schema', message }) as const));
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    problems.push(...error.problems.map((message) => ({ severity: 'error', file, field: '', rule: 'boot', message }) as const));
  }
  return { index, problems };
}

/** Has a thread of every profile load the pack, as at a service's start; returns the warnings. */
async function tryBoot(index: IndexFile, folder: string, { environment, envFilter, loadTimeoutMs, bundleMap }: ValidateOptions): Promise<string[]> {
  const pack = await openPack(index, { moduleRoot: folder, bundleMap }, 1);
  const threads = new ServiceThreads({ ...settingsOfACommand, maxThreads: pack.parts.length, bootTimeout: loadTimeoutMs, grace: 0 }, () => {});
  const log = { level: 'silent', format: 'json', prints: 'stderr', bufferBytes: defaultBufferBytes } as const;
  const { variables } = packEnvironment(environment, index, envFilter);
  const dispatch = await threads.start({ pack, artifactVersion: index.artifactVersion, environment: variables, log });
  await dispatch.close();
  threads.close();
  const { warnings } = await pack.schemas.compile();
  return warnings.map(({ message }) => message);
}
