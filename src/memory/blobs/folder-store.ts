import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobName, BlobStore } from './blob-store.js';

/** Blobs as files: FOLDER/BUCKET/KEY. */
export class FolderStore implements BlobStore {
  readonly provider = 'fs';
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(bucket: string, key: string, bytes: Uint8Array): Promise<void> {
    const folder = join(this.#folder, bucket);
    const file = join(folder, key);
    if (await touch(file, bytes)) return;
    await mkdir(folder, { recursive: true });
    // Renamed into place when it is whole: a reader, or a crash, finds all of it or nothing.
    const draft = join(folder, `.${key}.${randomUUID()}`);
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    await syncFolder(folder);
  }

  async get(bucket: string, key: string): Promise<Uint8Array | undefined> {
    return unlessMissing(readFile(join(this.#folder, bucket, key)));
  }

  async *writtenBefore(time: number): AsyncGenerator<BlobName> {
    for (const bucket of (await unlessMissing(readdir(this.#folder))) ?? []) {
      for (const key of await readdir(join(this.#folder, bucket))) {
        const found = await unlessMissing(stat(join(this.#folder, bucket, key)));
        if (found !== undefined && found.mtimeMs < time) yield { bucket, key, bytes: found.size };
      }
    }
  }

  async delete(bucket: string, key: string): Promise<void> {
    await rm(join(this.#folder, bucket, key), { force: true });
  }
}

/** Whether the blob is there as it should be; it then counts as written now, so that a sweep that runs meanwhile spares it. */
async function touch(file: string, bytes: Uint8Array): Promise<boolean> {
  const found = await unlessMissing(readFile(file));
  if (found === undefined || !found.equals(bytes)) return false;
  const now = new Date();
  return (await unlessMissing(utimes(file, now, now).then(() => true))) ?? false;
}

/** A file's name is on the disk only once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
