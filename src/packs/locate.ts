import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where a pack's index is: in a file, or still in its sources. */
export type LocatedIndex =
  | { readonly kind: 'file'; readonly path: string; readonly folder: string }
  | { readonly kind: 'sources'; readonly folder: string };

/** What a path to an index names: the file itself, the index.json of a folder, or a folder that has none yet. */
export async function locateIndex(path: string): Promise<LocatedIndex> {
  if (!(await isDirectory(path))) return { kind: 'file', path, folder: dirname(path) };
  const inside = join(path, 'index.json');
  const found = await stat(inside).catch(() => undefined);
  return found === undefined ? { kind: 'sources', folder: path } : { kind: 'file', path: inside, folder: path };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** What a pack's config may be called, the first before the others. */
export const configNames = ['ts', 'mts', 'mjs', 'js', 'cjs'].map((extension) => `kindgi.config.${extension}`);

/** The config that stands in a folder, the first of its names. */
export function findConfig(folder: string): string | undefined {
  return configNames.find((name) => existsSync(join(folder, name)));
}
