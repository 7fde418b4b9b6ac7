/** Something that is due at a time. */
interface Due {
  readonly atMs: number;
}

/** Starts everything when it is due, however long what came before takes; resolves when the last has been started. */
export function arrivals<T extends Due>(plan: Iterator<T>, start: (item: T, dueAt: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let next = plan.next();
    const turn = (): void => {
      for (; !next.done; next = plan.next()) {
        const dueAt = startedAt + next.value.atMs;
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) return void setTimeout(turn, waitMs);
        start(next.value, dueAt);
      }
      resolve();
    };
    turn();
  });
}
