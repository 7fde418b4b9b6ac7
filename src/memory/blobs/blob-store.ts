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
