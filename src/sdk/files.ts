import { isRecord } from './kinds.js';

/** How many files one call may store. */
export const MAX_STORED_FILES_PER_CALL = 10;

/** How large a file may be that a call stores, in bytes. */
export const MAX_STORED_FILE_BYTES = 10_000_000;

/** A stored file's value, as the runtime gives it: return it in the result's top-level `files`, and an agent is shown the file. */
export interface StoredFile {
  readonly [field: string]: unknown;
}

/** Why nothing was stored; return it as the file's `notShown`, and an agent reads a line that names it. */
export type NotStoredReason = string;

/** Why there are no bytes. */
export type NotReadReason = string;

/** What a store answers: the stored file's value, or why nothing was stored. */
export type FileStoreAnswer = { readonly file: StoredFile; readonly notStored?: never } | { readonly file?: never; readonly notStored: NotStoredReason };

/** What a read answers: the bytes as they were stored, or why there are none. */
export type FileReadAnswer = { readonly data: Uint8Array; readonly notRead?: never } | { readonly data?: never; readonly notRead: NotReadReason };

/** One file to store. */
export interface FileToStore {
  /** Its name as its source gives it; an empty one is stored as `unnamed`. */
  readonly name: string;
  /** The type that its source declares; the runtime checks the bytes against it. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** The runtime refuses the store or the read, or cannot be reached, or a limit is passed. Let it go on: the call fails as with any error. */
export class FileStoreError extends Error {
  override readonly name = 'FileStoreError';
}

/** For `ctx.files` of a tool with `storesFiles: true`, on a call with an idempotency key. */
export interface FileStoring {
  /** Stores one file. The same bytes again in one call, a re-run of it included, answer the first file. Throws FileStoreError. */
  store(file: FileToStore): Promise<FileStoreAnswer>;
}

/** For `ctx.files` of a tool with `readsFiles: true`. */
export interface FileReading {
  /** Reads a file that the call's run may be shown, by its value's `artifactId`: the bytes it was stored with. Throws FileStoreError. */
  read(artifactId: string): Promise<FileReadAnswer>;
}

/** Where a call's files are, and what its tool declares to do with them. */
export interface FileAccess {
  readonly url: string;
  readonly token: string;
  /** Why the call may not store or read; undefined when it may. */
  readonly storeRefused: string | undefined;
  readonly readRefused: string | undefined;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

/** A call's files; its address and token are not to be seen from outside. */
export class FileStore implements FileStoring, FileReading {
  readonly #access: FileAccess;
  /** By the bytes' digest. */
  readonly #stored = new Map<string, Promise<FileStoreAnswer>>();

  constructor(access: FileAccess) {
    this.#access = access;
  }

  /** Stores one file, for a tool with `storesFiles: true` on a call with an idempotency key; the same bytes again are the first file. Throws FileStoreError. */
  async store({ name, contentType, data }: FileToStore): Promise<FileStoreAnswer> {
    if (this.#access.storeRefused !== undefined) throw new FileStoreError(this.#access.storeRefused);
    if (!(data instanceof Uint8Array)) throw new FileStoreError(`The data of file "${name}" must be a Uint8Array.`);
    if (data.byteLength > MAX_STORED_FILE_BYTES) throw new FileStoreError(`File "${name}" has ${data.byteLength} bytes; a stored file may have ${MAX_STORED_FILE_BYTES}.`);
    // Taken now: the handler may go on to change what it handed over.
    const bytes = data.slice();
    const key = `${contentType}:${Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64')}`;
    const known = this.#stored.get(key);
    if (known !== undefined) return known;
    if (this.#stored.size >= MAX_STORED_FILES_PER_CALL) throw new FileStoreError(`A call may store ${MAX_STORED_FILES_PER_CALL} files; "${name}" would be one more.`);
    const answer = this.#send(bytes, name === '' ? 'unnamed' : name, contentType);
    this.#stored.set(key, answer);
    // What was not stored leaves its place to another.
    const free = (): void => void this.#stored.delete(key);
    answer.then(({ file }) => file === undefined && free(), free);
    return answer;
  }

  /** Reads a file by its value's `artifactId`, for a tool with `readsFiles: true`. Throws FileStoreError. */
  async read(artifactId: string): Promise<FileReadAnswer> {
    if (this.#access.readRefused !== undefined) throw new FileStoreError(this.#access.readRefused);
    const response = await this.#request(`reading "${artifactId}"`, `/${encodeURIComponent(artifactId)}`, {});
    if (response.ok) return { data: new Uint8Array(await response.arrayBuffer()) };
    const body = await jsonOf(response);
    if ((response.status === 404 || response.status === 409) && typeof body['notRead'] === 'string') return { notRead: body['notRead'] };
    throw refusal(`reading "${artifactId}"`, response.status);
  }

  async #send(data: Uint8Array<ArrayBuffer>, name: string, contentType: string): Promise<FileStoreAnswer> {
    const what = `storing "${name}"`;
    const response = await this.#request(what, '', { method: 'POST', body: data, headers: { 'content-type': contentType, 'kindgi-file-name': encodeURIComponent(name) } });
    const body = await jsonOf(response);
    if (response.ok && isRecord(body['file'])) return { file: body['file'] };
    if (typeof body['notStored'] === 'string') return { notStored: body['notStored'] };
    throw refusal(what, response.status);
  }

  async #request(what: string, path: string, { headers, ...init }: { method?: string; body?: Uint8Array<ArrayBuffer>; headers?: Record<string, string> }): Promise<Response> {
    const { url, token, signal, fetch } = this.#access;
    try {
      return await fetch(`${url.replace(/\/$/, '')}${path}`, { ...init, headers: { ...headers, authorization: `Bearer ${token}` }, redirect: 'error', signal });
    } catch (error) {
      // Not `error` itself for a cause: of a token that no header can carry, fetch's message shows it.
      throw signal.aborted ? signal.reason : new FileStoreError(`The runtime could not be reached for ${what}${codeOf(error)}.`);
    }
  }
}

function codeOf(error: unknown): string {
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}

function refusal(what: string, status: number): FileStoreError {
  return new FileStoreError(`The runtime refused ${what}: it answered ${status}.`);
}

async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await response.json().catch(() => undefined);
  return isRecord(body) ? body : {};
}
