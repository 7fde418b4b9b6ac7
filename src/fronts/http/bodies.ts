import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { EnvelopeReader } from '../../protocol/envelope.js';
import type { CancelReason } from '../../protocol/errors.js';
import type { MessageBody } from '../../threads/link/messages.js';
import { bytesPerTurn } from './bytes-per-turn.js';

/** What reading a body came to. */
export type BodyRead = { readonly kind: 'whole'; readonly body: MessageBody } | { readonly kind: 'too-large' } | { readonly kind: 'stopped'; readonly reason: CancelReason };

/** Bodies up to this size travel to their thread as a string, which is cheaper; larger ones in the pieces they came in, whose memory moves: the main thread copies none of it. */
const largestString = 16_384;

/** Reads one request's body, showing every chunk to the envelope reader as it arrives. */
export class BodyReader {
  readonly read: Promise<BodyRead>;
  readonly #request: IncomingMessage;
  #resolve: (read: BodyRead) => void = () => {};

  constructor(request: IncomingMessage, maxBytes: number, envelope: EnvelopeReader) {
    this.#request = request;
    this.read = new Promise((resolve) => (this.#resolve = resolve));
    const chunks: Buffer[] = [];
    let bytes = 0;
    let turnEnds = bytesPerTurn;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return this.#giveUp({ kind: 'too-large' });
      chunks.push(chunk);
      envelope.push(chunk);
      if (bytes < turnEnds) return;
      turnEnds = bytes + bytesPerTurn;
      request.pause();
      setImmediate(() => request.resume());
    });
    request.once('end', () => this.#resolve({ kind: 'whole', body: bodyOf(chunks, bytes) }));
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

function bodyOf(chunks: readonly Buffer[], bytes: number): MessageBody {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1 && bytes <= largestString && isUtf8(only)) return only.toString('utf8');
  return chunks.map(withOwnMemory);
}

/** A slice of a larger buffer would take all of that along to the thread; Node's body chunks are none, but need not stay so. */
function withOwnMemory(chunk: Buffer): Uint8Array {
  return chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
}
