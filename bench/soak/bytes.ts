/** A byte for every call: what a long run remembers of each, instead of objects. Zero where nothing was set. */
export class Bytes {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** One past the last place that was set. */
  get length(): number {
    return this.#length;
  }

  get(at: number): number {
    return at < this.#bytes.length ? (this.#bytes[at] ?? 0) : 0;
  }

  set(at: number, value: number): void {
    while (at >= this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[at] = value;
    this.#length = Math.max(this.#length, at + 1);
  }

  /** Counts one more; stops at 255 instead of starting over. */
  increment(at: number): void {
    this.set(at, Math.min(255, this.get(at) + 1));
  }

  /** The bytes alone, as a message to another process carries them. */
  toArray(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  static from(array: Uint8Array): Bytes {
    const bytes = new Bytes();
    bytes.set(Math.max(0, array.length - 1), 0);
    bytes.#bytes.set(array);
    bytes.#length = array.length;
    return bytes;
  }
}
