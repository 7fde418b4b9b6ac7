/** Has work done on items side by side, at most `width` at a time, and yields the results in the order of the items. The work must not reject. */
export async function* inOrder<Item, Result>(items: AsyncIterable<Item>, width: number, work: (item: Item) => Promise<Result>): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  for await (const item of items) {
    pending.push(work(item));
    const first = pending.length >= width ? pending.shift() : undefined;
    if (first) yield await first;
  }
  for (const result of pending) yield await result;
}

/** Lets so many pieces of work run at once; the others wait for their turn, first come, first served. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
