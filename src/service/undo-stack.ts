/** How each resource that a start has taken is given back. A start that fails leaves nothing. */
export class UndoStack {
  readonly #undos: (() => Promise<unknown> | void)[] = [];

  /** The start has taken a resource. */
  push(undo: () => Promise<unknown> | void): void {
    this.#undos.push(undo);
  }

  /** Gives everything back, the last first. One that fails does not keep the others; the first failure is thrown at the end. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
