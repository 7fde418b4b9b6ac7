/** A tool, guardrail, agent or flow is declared wrong; thrown where it is declared, with every problem by the name of its field. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  /** One sentence each, starting with the field: `version must be a semantic version such as 1.2.3, not "one"`. */
  readonly problems: readonly string[];

  /** `what` is the definition as its author knows it: `Tool "acme.greet"`. */
  constructor(what: string, problems: readonly string[]) {
    super(problems.length === 1 ? `${what}: ${problems[0]}` : `${what} has ${problems.length} problems:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Throws DefinitionError when there are problems. `kind` is `Tool`, `Guardrail` and so on. */
export function refuse(kind: string, id: unknown, problems: readonly string[]): void {
  if (problems.length > 0) throw new DefinitionError(typeof id === 'string' && id !== '' ? `${kind} "${id}"` : `${kind} without an id`, problems);
}
