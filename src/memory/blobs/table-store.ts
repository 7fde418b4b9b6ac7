import type { Database } from '../database/database.js';
import type { BlobName, BlobStore } from './blob-store.js';

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
