import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configure } from 'safe-stable-stringify';
import type { PackIndex } from './pack-index.js';

// Unlike a copy with its keys put in order, it also orders keys that look like numbers.
const stringify = configure({ deterministic: true });

/** The canonical text of an index: the same source gives the same bytes. */
export function indexText(index: PackIndex): string {
  return `${stringify(index, null, 2)}\n`;
}

/** Writes a file in one step: whoever reads it finds the old one or the new one, whole. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(partial, text, { flush: true });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
