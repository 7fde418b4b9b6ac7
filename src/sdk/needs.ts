import { fields, list, optional, record, recordOf, text } from './kinds.js';
import type { JsonSchema } from './schema-type.js';

/** Schemas by name; JSON Schema objects. */
export type NeededValues = Readonly<Record<string, JsonSchema>>;

/** What code needs resolved before a call. */
export interface NeedsSpec {
  readonly env?: NeededValues;
  readonly secrets?: NeededValues;
  readonly config?: NeededValues;
  /** Connections by the tool's own name for each. */
  readonly connections?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly capabilities?: readonly string[];
  readonly bindings?: readonly string[];
}

const section = optional(recordOf(record));

/** The kind of a `needsSpec`. */
export const needsSpec = fields({ env: section, secrets: section, config: section, connections: section, capabilities: optional(list(text)), bindings: optional(list(text)) });
