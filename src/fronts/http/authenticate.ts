import { hash, timingSafeEqual } from 'node:crypto';

/** Knows the token by its hash alone, and compares in constant time. */
export class Authenticator {
  readonly #hash: Buffer;

  constructor(token: string) {
    this.#hash = sha256(token.trim());
  }

  /** A header that was sent twice arrives joined, and is not the token. */
  accepts(header: string | string[] | undefined): boolean {
    return typeof header === 'string' && timingSafeEqual(sha256(header.trim()), this.#hash);
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
