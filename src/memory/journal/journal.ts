import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startFailure, startWorker } from '../../threads/host/start-worker.js';
import { MemoryError, type MemoryErrorCode } from '../errors.js';
import type { FromThread, JournalledCall, JournalPayloads, KeptBody, ThreadData, ToThread } from './messages.js';

/** Whether the journal has all of the calls. */
export type JournalState =
  | { readonly kind: 'keeping-up' }
  /** More calls came than it can hold: so many, in all, were not journalled. */
  | { readonly kind: 'behind'; readonly dropped: number }
  /** The database does not take them at present. They are held, as many as it can hold, and tried again. */
  | { readonly kind: 'failing'; readonly reason: string }
  /** Its thread has died: nothing is journalled any more. */
  | { readonly kind: 'ended'; readonly reason: string };

export interface JournalOptions {
  /** `sqlite:FILE` or `postgres://…`. */
  readonly url: string;
  readonly payloads: JournalPayloads;
  /** Told whenever the state changes. */
  readonly onState: (state: JournalState) => void;
  /** Calls that may wait to be written; 10000 by default. */
  readonly maxCalls?: number;
  /** Bytes of bodies that may wait to be written; 64 MiB by default. */
  readonly maxBytes?: number;
}

/** What a journal came to. */
export interface JournalEnd {
  readonly written: number;
  /** Calls it could not hold, could not write in time, or that are no records. */
  readonly lost: number;
}

/**
 * Journals calls into a log, off their way: `record` puts a call into a bounded queue and returns. A
 * thread of the journal's own does the rest.
 */
export class Journal {
  readonly #worker: Worker;
  readonly #options: Required<JournalOptions>;
  /** Bytes of the calls that are posted and not settled, oldest first. */
  readonly #pending: number[] = [];
  readonly #closed: Promise<void>;
  #bytes = 0;
  #written = 0;
  #lost = 0;
  #dropped = 0;
  #state: JournalState = { kind: 'keeping-up' };
  #ending = false;

  private constructor(worker: Worker, options: JournalOptions) {
    this.#worker = worker;
    this.#options = { maxCalls: 10_000, maxBytes: 64 * 1024 * 1024, ...options };
    worker.on('message', (message: FromThread) => this.#take(message));
    worker.on('error', (error) => this.#enter({ kind: 'ended', reason: messageOf(error) }));
    this.#closed = new Promise((resolve) => {
      worker.once('exit', () => {
        if (!this.#ending && this.#state.kind !== 'ended') this.#enter({ kind: 'ended', reason: 'its thread exited' });
        resolve();
      });
    });
    // A service that has nothing else to do must not stay alive for its journal.
    worker.unref();
  }

  /** Opens the journal's database; rejects with MemoryError when it cannot be used, or no thread can start. */
  static async open(options: JournalOptions): Promise<Journal> {
    const data: ThreadData = { url: options.url, payloads: options.payloads };
    const start = startWorker(new URL('./thread.js', import.meta.url), { workerData: data, execArgv: [], name: 'packhost-journal' });
    if (start.kind === 'failed') throw noThread(start.reason);
    const { worker } = start;
    const first = await new Promise<FromThread>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => reject(noThread(startFailure(error) ?? messageOf(error))));
      worker.once('exit', () => reject(noThread('it exited as it started')));
    });
    if (first.kind === 'open') return new Journal(worker, options);
    await worker.terminate();
    if (first.kind === 'open-failed') throw new MemoryError(first.code as MemoryErrorCode, first.message);
    throw new Error(`the journal's thread began with ${first.kind}`);
  }

  get state(): JournalState {
    return this.#state;
  }

  /** A body for `record`: a copy, since large bodies move to the thread that runs the call. */
  keep(body: string | Uint8Array | readonly Uint8Array[]): KeptBody {
    if (typeof body === 'string') return body;
    const pieces = body instanceof Uint8Array ? [body] : body;
    const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    if (length + this.#bytes > this.#options.maxBytes) return { tooLarge: length };
    const copy = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      copy.set(piece, at);
      at += piece.byteLength;
    }
    return copy;
  }

  /** Takes a call that was answered; one that finds the queue full is dropped, counted and said. */
  record(call: JournalledCall): void {
    const bytes = lengthOf(call.message) + lengthOf(call.answer);
    const { maxCalls, maxBytes } = this.#options;
    if (this.#ending || this.#state.kind === 'ended' || this.#pending.length >= maxCalls || this.#bytes + bytes > maxBytes) return this.#drop();
    this.#pending.push(bytes);
    this.#bytes += bytes;
    const moved = [call.message, call.answer].flatMap((body) => (body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : []));
    this.#worker.postMessage({ kind: 'call', call } satisfies ToThread, moved);
  }

  /** Writes what waits, for at most so long, and closes the database. */
  async close(withinMs = 5_000): Promise<JournalEnd> {
    if (!this.#ending) {
      this.#ending = true;
      this.#worker.postMessage({ kind: 'close' } satisfies ToThread);
    }
    const timer = new AbortController();
    await Promise.race([this.#closed, sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    await this.#worker.terminate();
    return { written: this.#written, lost: this.#lost + this.#pending.length };
  }

  #drop(): void {
    this.#lost++;
    this.#dropped++;
    // Said once as it begins; the end of it tells how many there were.
    if (this.#state.kind === 'keeping-up') this.#enter({ kind: 'behind', dropped: this.#dropped });
  }

  #take(message: FromThread): void {
    if (message.kind === 'failing') {
      if (this.#state.kind !== 'failing') this.#enter({ kind: 'failing', reason: message.message });
    } else if (message.kind === 'settled') this.#settle(message.calls, message.refused);
  }

  #settle(calls: number, refused: number): void {
    for (const bytes of this.#pending.splice(0, calls)) this.#bytes -= bytes;
    this.#written += calls - refused;
    this.#lost += refused;
    const roomy = this.#pending.length <= this.#options.maxCalls / 2 && this.#bytes <= this.#options.maxBytes / 2;
    if (this.#state.kind === 'failing' && this.#dropped > 0 && !roomy) this.#enter({ kind: 'behind', dropped: this.#dropped });
    else if (this.#state.kind !== 'keeping-up' && this.#state.kind !== 'ended' && roomy) this.#enter({ kind: 'keeping-up' });
  }

  #enter(state: JournalState): void {
    this.#state = state;
    this.#options.onState(state);
  }

  /** Calls that were dropped since the journal was opened. */
  get dropped(): number {
    return this.#dropped;
  }
}

function noThread(reason: string): MemoryError {
  return new MemoryError('no-thread', `The journal's thread did not start: ${reason}.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lengthOf(body: KeptBody): number {
  if (typeof body === 'string') return body.length;
  return body instanceof Uint8Array ? body.byteLength : 0;
}
