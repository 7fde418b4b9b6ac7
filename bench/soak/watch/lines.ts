/** Longer lines are cut: a flood without a line break must not be held. */
const longestLine = 256 * 1024;

/** Splits a stream into lines, and holds no more than one. */
export class Lines {
  #partial: string = '';
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const line = this.#partial + chunk.toString('utf8', from, end);
      this.#partial = '';
      from = end + 1;
      this.#onLine(line);
    }
    if (this.#partial.length < longestLine) this.#partial += chunk.toString('utf8', from);
  }

  /** What came after the last line break. */
  end(): void {
    if (this.#partial !== '') this.#onLine(this.#partial);
    this.#partial = '';
  }
}
