import { MemoryError } from '../errors.js';
import { sha256 } from '../hashing/canonical.js';
import type { BlobStore } from './blob-store.js';

/** Contents by their hash, each tenant's in a bucket of its own: what two tenants both have is stored twice, so that neither learns of it. */
export class Contents {
  readonly #store: BlobStore;

  constructor(store: BlobStore) {
    this.#store = store;
  }

  /** Writes a content and answers its reference. */
  async put(tenantId: string, text: string, hash: string): Promise<string> {
    const [bucket, key] = [bucketOf(tenantId), digits(hash)];
    await this.#store.put(bucket, key, Buffer.from(text, 'utf8'));
    return this.#reference(bucket, key);
  }

  /** Reads a content; throws MemoryError `blob-missing`, or `blob-changed` when it is not what was written. */
  async get(tenantId: string, reference: string, hash: string): Promise<string> {
    const [bucket, key] = [bucketOf(tenantId), digits(hash)];
    if (reference !== this.#reference(bucket, key)) throw new MemoryError('blob-missing', `${reference} is not kept by this memory's blob store, or not of this tenant`);
    const bytes = await this.#store.get(bucket, key);
    if (bytes === undefined) throw new MemoryError('blob-missing', `${reference} is gone`);
    if (sha256(bytes) !== hash) throw new MemoryError('blob-changed', `${reference} does not have the content that was put`);
    return Buffer.from(bytes).toString('utf8');
  }

  /** Deletes blobs that were written before a time and that `isUsed` denies; answers how many, and their bytes. */
  async sweep(before: number, isUsed: (reference: string) => Promise<boolean>, dryRun: boolean): Promise<{ readonly blobs: number; readonly bytes: number }> {
    const swept = { blobs: 0, bytes: 0 };
    for await (const { bucket, key, bytes } of this.#store.writtenBefore(before)) {
      if (await isUsed(this.#reference(bucket, key))) continue;
      if (!dryRun) await this.#store.delete(bucket, key);
      swept.blobs++;
      swept.bytes += bytes;
    }
    return swept;
  }

  #reference(bucket: string, key: string): string {
    return `blob://${this.#store.provider}/${bucket}/${key}`;
  }
}

const digits = (hash: string): string => hash.slice('sha256:'.length);

/** A tenant's id may hold anything: its hash is a name that any store takes. */
const bucketOf = (tenantId: string): string => digits(sha256(tenantId)).slice(0, 32);
