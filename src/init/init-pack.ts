import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder that a new pack would not have to itself. */
export class FolderNotEmpty extends Error {
  override readonly name = 'FolderNotEmpty';

  constructor(folder: string, found: readonly string[]) {
    super(`${folder} is not empty (${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}); name a folder that is, or a new one`);
  }
}

/** The files of a new pack as they stand in the package, seen from the built module. */
const template = fileURLToPath(new URL('../../../src/init/template/', import.meta.url));

/** What stands in the template's files for the pack's id and packhost's version. */
const idThere = 'my-pack';
const versionThere = '^0.0.0';

/**
 * Writes a new pack: a tool, a guardrail, their tests and a README. Its id is the folder's name, as far
 * as an id may have it. Answers the id and the files; throws FolderNotEmpty.
 */
export async function initPack(folder: string, version: string): Promise<{ readonly id: string; readonly files: readonly string[] }> {
  await mkdir(folder, { recursive: true });
  const found = (await readdir(folder)).filter((name) => name !== '.git');
  if (found.length > 0) throw new FolderNotEmpty(folder, found);
  const id = idFrom(basename(folder));
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const sources = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
  const files: string[] = [];
  for (const source of sources) {
    // npm leaves files of that name out of a package.
    const file = relative(template, source).replace(/^gitignore$/, '.gitignore');
    const text = (await readFile(source, 'utf8')).replaceAll(idThere, id).replaceAll(versionThere, `^${version}`);
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text, { flag: 'wx' });
    files.push(file);
  }
  return { id, files };
}

/** Lower case, digits and dashes, a letter first. */
function idFrom(name: string): string {
  const id = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '');
  return id === '' ? idThere : id;
}
