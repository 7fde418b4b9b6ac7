/** Takes items one by one, and hands on all that came in one turn of the event loop together. */
export class TurnBatch<Item> {
  readonly #handle: (items: readonly Item[]) => void;
  #items: Item[] = [];
  #handled: Promise<void> | undefined;

  constructor(handle: (items: readonly Item[]) => void) {
    this.#handle = handle;
  }

  /** Resolves when the item has been handled. */
  add(item: Item): Promise<void> {
    this.#items.push(item);
    return (this.#handled ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#handled = undefined;
        this.flush();
        resolve();
      });
    }));
  }

  /** Hands on at once what has been taken. */
  flush(): void {
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#handle(items);
  }
}
