import { expected, fields, isRecord, type Kind, list, oneOf, optional, record, recordOf, text, wholeNumber } from './kinds.js';
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

const policy = fields({ kind: oneOf('none', 'allowlist', 'unrestricted'), hosts: optional(list(text)) });

const network: Kind = (value, place) => [
  ...policy(value, place),
  ...(isRecord(value) && value['kind'] === 'allowlist' && value['hosts'] === undefined ? [expected('a list of hosts', undefined, `${place}.hosts`)] : []),
];

/** The fields by which tools and guardrails declare how their code is to be held. */
export const isolationFields = {
  sandbox: optional(oneOf('none', 'context-isolated', 'strict')),
  limits: optional(fields({ memMB: optional(wholeNumber(1)), cpuMs: optional(wholeNumber(1)) })),
  network: optional(network),
};
