import { BootError } from '../packs/boot-error.js';
import { describeProblem, type Problem } from './problem.js';

/** Sources whose index must not be used, with everything that was found in them. */
export class SourcesRefused extends BootError {
  readonly found: readonly Problem[];

  constructor(found: readonly Problem[]) {
    super(found.filter(({ severity }) => severity === 'error').map(describeProblem));
    this.found = found;
  }
}
