import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What a pack's config may be called, the first before the others. */
export const configNames = ['ts', 'mts', 'mjs', 'js', 'cjs'].map((extension) => `kindgi.config.${extension}`);

/** The config that stands in a folder, the first of its names. */
export function findConfig(folder: string): string | undefined {
  return configNames.find((name) => existsSync(join(folder, name)));
}
