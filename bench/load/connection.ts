import { connect, type Socket } from 'node:net';
import { AnswerReader, type Verdict } from './answer-reader.js';

// One buffer for every connection: it is read to its end before the next one is filled.
const incoming = Buffer.allocUnsafe(256 * 1024);

/**
 * One keep-alive connection with at most one request on it. A raw socket with a prebuilt request
 * costs a third of what `http.request` does, so that two cores are left to the server.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #request: Uint8Array;
  readonly #reader: AnswerReader;
  #answered: ((verdict: Verdict) => void) | undefined;
  broken = false;

  private constructor(port: number, request: Uint8Array, expected: Uint8Array) {
    this.#request = request;
    this.#reader = new AnswerReader(expected);
    this.#socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: incoming,
        callback: (length, buffer) => {
          const verdict = this.#reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          if (verdict !== undefined) this.#settle(verdict);
          return true;
        },
      },
    });
    const breaks = (reason: string): void => {
      this.broken = true;
      this.#settle(reason);
    };
    this.#socket.on('error', (error: NodeJS.ErrnoException) => breaks(error.code ?? error.message));
    this.#socket.on('close', () => breaks('connection closed'));
  }

  static open(port: number, request: Uint8Array, expected: Uint8Array): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection(port, request, expected);
      connection.#socket.once('connect', () => resolve(connection));
      connection.#socket.once('error', reject);
    });
  }

  static openAll(count: number, port: number, request: Uint8Array, expected: Uint8Array): Promise<Connection[]> {
    return Promise.all(Array.from({ length: count }, () => Connection.open(port, request, expected)));
  }

  /** Sends the request; `answered` is called once, with what became of it. */
  send(answered: (verdict: Verdict) => void): void {
    this.#answered = answered;
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #settle(verdict: Verdict): void {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(verdict);
  }
}
