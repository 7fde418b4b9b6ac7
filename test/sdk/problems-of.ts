import { DefinitionError } from '../../src/sdk/index.js';

/** The problems that a declaration is refused for; none when it is taken. */
export function problemsOf(declare: () => unknown): readonly string[] {
  try {
    declare();
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
}
