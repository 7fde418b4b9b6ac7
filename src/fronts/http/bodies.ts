import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { EnvelopeReader } from '../../protocol/envelope.js';
import type { CancelReason } from '../../protocol/errors.js';
import type { MessageBody } from '../../threads/link/messages.js';

/** What reading a body came to. */
export type BodyRead =
  | { readonly kind: 'whole'; readonly body: MessageBody }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'stopped'; readonly reason: CancelReason };

/**
 * How much of one body is read or sent before others get their turn: in one round of the event loop Node reads
 * 2 MiB from each of the sockets that have them, and a write copies all it is given into the kernel.
 */
export const bytesPerTurn = 262_144;

/** Bodies up to this size travel to their thread as a string, which is cheaper; larger ones in shared memory. */
const largestString = 16_384;
const firstCapacity = 65_536;

/** Reads one request's body, showing every chunk to the envelope reader as it arrives. */
export class BodyReader {
  readonly read: Promise<BodyRead>;
  readonly #request: IncomingMessage;
  #resolve: (read: BodyRead) => void = () => {};

  constructor(request: IncomingMessage, maxBytes: number, envelope: EnvelopeReader) {
    this.#request = request;
    this.read = new Promise((resolve) => (this.#resolve = resolve));
    const body = new Body(Number(request.headers['content-length'] ?? 0));
    let turnEnds = bytesPerTurn;
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > maxBytes) return this.#giveUp({ kind: 'too-large' });
      body.add(chunk);
      envelope.push(chunk);
      if (body.length < turnEnds) return;
      turnEnds = body.length + bytesPerTurn;
      request.pause();
      setImmediate(() => request.resume());
    });
    request.once('end', () => this.#resolve({ kind: 'whole', body: body.whole() }));
    // A connection that breaks is the response's to notice; without a listener it would end the process.
    request.once('error', () => this.stop('cancelled'));
  }

  /** Gives up on the rest of the body. */
  stop(reason: CancelReason): void {
    this.#giveUp({ kind: 'stopped', reason });
  }

  #giveUp(read: BodyRead): void {
    this.#request.removeAllListeners('data');
    this.#resolve(read);
  }
}

/** The bytes of one body. A first chunk is kept as it is, since most bodies are one; more of them go into one shared memory. */
class Body {
  length = 0;
  readonly #announced: number;
  #first: Buffer | undefined;
  #shared: Uint8Array | undefined;

  /** `announced`: how many bytes the headers say there are; 0 where they do not say. */
  constructor(announced: number) {
    this.#announced = announced;
  }

  add(chunk: Buffer): void {
    if (this.length === 0) {
      this.#first = chunk;
      this.length = chunk.length;
      return;
    }
    const shared = this.#withRoomFor(this.length + chunk.length);
    shared.set(chunk, this.length);
    this.length += chunk.length;
  }

  whole(): MessageBody {
    if (this.#shared === undefined) {
      const only = this.#first ?? Buffer.alloc(0);
      if (only.length <= largestString && isUtf8(only)) return only.toString('utf8');
    }
    return this.#withRoomFor(this.length).subarray(0, this.length);
  }

  /** Grows by doubling, so that each byte of a body without an announced length is copied a bounded number of times. */
  #withRoomFor(bytes: number): Uint8Array {
    if (this.#shared !== undefined && this.#shared.length >= bytes) return this.#shared;
    const unannounced = Math.max(firstCapacity, bytes, (this.#shared?.length ?? 0) * 2);
    const grown = new Uint8Array(new SharedArrayBuffer(this.#announced >= bytes ? this.#announced : unannounced));
    const before = this.#shared ?? this.#first;
    if (before !== undefined) grown.set(before.subarray(0, this.length));
    this.#shared = grown;
    this.#first = undefined;
    return grown;
  }
}
