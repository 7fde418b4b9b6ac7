import type { Definition } from '../threads/link/definitions.js';

/** A definition, and the file that declares it. */
export interface SourceDefinition {
  readonly file: string;
  readonly definition: Definition;
}
