import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { glob } from 'tinyglobby';
import type { DefinitionKind, SourceFile } from '../threads/link/definitions.js';
import { folders, kinds, type PackConfig } from './config.js';
import { byCodeUnits, type Problem } from './problem.js';

/** What a pattern may match that is no definition. */
const leftOut = ['**/node_modules/**', '**/*.{test,spec}.*', '**/*.d.{ts,mts,cts}'];
const isModule = /\.[mc]?[jt]s$/;

/** Finds the files that hold definitions, in code-unit order: what one pack finds, another folder's copy finds too. */
export async function discover(folder: string, { file, discovery, chosen }: PackConfig): Promise<{ readonly files: readonly SourceFile[]; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const holds = new Map<string, DefinitionKind[]>();
  for (const kind of kinds) {
    const field = `discovery.${folders[kind]}`;
    const matches = (await glob([discovery[kind]], { cwd: folder, ignore: leftOut, expandDirectories: false, onlyFiles: true })).filter((path) => isModule.test(path));
    const inside = matches.filter((path) => !path.startsWith('..') && path !== file);
    if (inside.length < matches.filter((path) => path !== file).length) {
      problems.push({ severity: 'error', file, field, rule: 'outside', message: 'matches files outside of the pack', hint: 'the index names modules below its own folder' });
    }
    if (matches.length === 0 && chosen.includes(kind)) {
      problems.push({ severity: 'warning', file, field, rule: 'no-match', message: `matches no module: ${JSON.stringify(discovery[kind])}` });
    }
    for (const path of inside) holds.set(path, [...(holds.get(path) ?? []), kind]);
  }
  const files = [...holds].sort(([a], [b]) => byCodeUnits(a, b)).map(([path, held]) => ({ path, url: pathToFileURL(join(folder, path)).href, holds: held }));
  return { files, problems };
}
