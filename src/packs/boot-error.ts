/** A pack that cannot be served, with every problem found; `startPackService` rejects with it. */
export class BootError extends Error {
  override readonly name = 'BootError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(`The pack cannot be served:\n${problems.map((problem) => `- ${problem}`).join('\n')}`, options);
    this.problems = problems;
  }
}
