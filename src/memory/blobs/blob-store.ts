import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../database/database.js';

/** Where contents that are too large to stand inline are kept, by their hash. */
export interface BlobStore {
  /** The PROVIDER of `blob://PROVIDER/BUCKET/KEY`. */
  readonly provider: string;
  /** Writes bytes so that they are on the disk when it resolves; a blob that is there already counts as written now. */
  put(bucket: string, key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or undefined when there is no such blob. */
  get(bucket: string, key: string): Promise<Uint8Array | undefined>;
  /** Blobs that were last written before a time (milliseconds since 1970). */
  writtenBefore(time: number): AsyncIterable<BlobName>;
  delete(bucket: string, key: string): Promise<void>;
}

export interface BlobName {
  readonly bucket: string;
  readonly key: string;
  readonly bytes: number;
}

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

/** Blobs in the database itself: what replicas share, and what a memory without a file has. */
export class TableStore implements BlobStore {
  readonly provider: string;
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.provider = database.dialect.engine;
    this.#database = database;
    this.#now = now;
  }

  async put(bucket: string, key: string, bytes: Uint8Array): Promise<void> {
    await this.#database.query(
      'INSERT INTO memory_blobs (bucket, key, touched_at, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT (bucket, key) DO UPDATE SET touched_at = excluded.touched_at',
      [bucket, key, new Date(this.#now()).toISOString(), bytes],
    );
  }

  async get(bucket: string, key: string): Promise<Uint8Array | undefined> {
    const [row] = await this.#database.query<{ bytes: Uint8Array }>('SELECT bytes FROM memory_blobs WHERE bucket = $1 AND key = $2', [bucket, key]);
    return row?.bytes;
  }

  async *writtenBefore(time: number): AsyncGenerator<BlobName> {
    yield* await this.#database.query<BlobName>('SELECT bucket, key, length(bytes) AS bytes FROM memory_blobs WHERE touched_at < $1', [new Date(time).toISOString()]);
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.#database.query('DELETE FROM memory_blobs WHERE bucket = $1 AND key = $2', [bucket, key]);
  }
}
