import { writeAll } from './write-all.js';

const stderr = 2;

/**
 * Where records go. Each is on stderr when the call that wrote it returns, so that after a SIGKILL none is
 * missing, where an asynchronous destination loses all but a few; those written `together` share one write.
 */
export class Stderr {
  #held: string | undefined;

  /** Takes one record, its line end included. */
  write(line: string): void {
    if (this.#held === undefined) writeAll(stderr, Buffer.from(line));
    else this.#held += line;
  }

  /** Writes what `work` writes in one go. */
  together(work: () => void): void {
    this.#held = '';
    try {
      work();
    } finally {
      const held = this.#held;
      this.#held = undefined;
      if (held !== '') writeAll(stderr, Buffer.from(held));
    }
  }
}
