import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../running-service.js';

/** The folder of the example pack. */
export const examplePack = join(projectRoot, 'examples');

/** A module of the example pack, as the type the test says it has. */
export async function importExample<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(join(examplePack, path)).href)) as T;
}
