/** How one answer ended: `ok`, or what was wrong with it. */
export type Verdict = string;

const headEnd = '\r\n\r\n';

/** Reads one HTTP answer after another from a connection's bytes, and compares each body with the one expected. */
export class AnswerReader {
  readonly #expected: Buffer;
  #partialHead = '';
  #status = '';
  /** Bytes of the body still to come; undefined while the head is being read. */
  #missing: number | undefined;
  #length = 0;
  #matches = true;

  constructor(expected: Uint8Array) {
    this.#expected = Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength);
  }

  /** Takes bytes; answers the verdict once the answer is complete. Answers never overlap: nothing is pipelined. */
  read(chunk: Buffer): Verdict | undefined {
    let body = chunk;
    if (this.#missing === undefined) {
      const end = this.#partialHead === '' ? chunk.indexOf(headEnd) : -1;
      if (end >= 0) {
        this.#startBody(chunk.toString('latin1', 0, end));
        body = chunk.subarray(end + headEnd.length);
      } else {
        const rest = this.#readSplitHead(chunk);
        if (!rest) return undefined;
        body = rest;
      }
    }
    return this.#readBody(body);
  }

  #readSplitHead(chunk: Buffer): Buffer | undefined {
    const text = this.#partialHead + chunk.toString('latin1');
    const end = text.indexOf(headEnd);
    if (end < 0) {
      this.#partialHead = text;
      return undefined;
    }
    this.#partialHead = '';
    this.#startBody(text.slice(0, end));
    return Buffer.from(text.slice(end + headEnd.length), 'latin1');
  }

  #startBody(head: string): void {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    // A chunked body would need a second parser; no server here sends one for an answer it has whole.
    if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`);
    this.#status = head.slice(9, 12);
    this.#length = this.#missing = Number(length);
    this.#matches = this.#length === this.#expected.length;
  }

  #readBody(body: Buffer): Verdict | undefined {
    const missing = this.#missing ?? 0;
    if (this.#matches) {
      const at = this.#length - missing;
      this.#matches = this.#expected.compare(body, 0, body.length, at, at + body.length) === 0;
    }
    this.#missing = missing - body.length;
    if (this.#missing > 0) return undefined;
    this.#missing = undefined;
    if (this.#status !== '200') return `status ${this.#status}`;
    return this.#matches ? 'ok' : 'wrong body';
  }
}
