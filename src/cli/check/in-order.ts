/** Has work done on items side by side, at most `width` at a time, and answers the results in the order of the items. The work must not reject. */
export async function* inOrder<Item, Result>(items: AsyncIterable<Item>, width: number, work: (item: Item) => Promise<Result>): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  for await (const item of items) {
    pending.push(work(item));
    const first = pending.length >= width ? pending.shift() : undefined;
    if (first) yield await first;
  }
  for (const result of pending) yield await result;
}
