import { timingSafeEqual } from 'node:crypto';

/** Knows the token, and compares in constant time: hashing each header first would cost more than all else that this does. */
export class Authenticator {
  readonly #token: Buffer;
  /** As long as the token, which `timingSafeEqual` asks for. */
  readonly #given: Buffer;

  constructor(token: string) {
    this.#token = Buffer.from(token.trim());
    this.#given = Buffer.alloc(this.#token.length);
  }

  /** A header that was sent twice arrives joined, and is not the token. */
  accepts(header: string | string[] | undefined): boolean {
    if (typeof header !== 'string') return false;
    const given = header.trim();
    // What is longer is cut, what is shorter is followed by zeros, which no header has.
    this.#given.fill(0).write(given);
    return timingSafeEqual(this.#given, this.#token) && Buffer.byteLength(given) === this.#token.length;
  }
}
