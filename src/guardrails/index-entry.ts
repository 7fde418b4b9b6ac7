import { defineGuardrail, type DefinitionOptions } from './definition.js';
import type { Guardrail } from './guardrail.js';
import { guardrailSchema } from './schema.js';

/** A guardrail as a pack's index has it; what an index says beyond a guardrail's schema is left out. */
export interface GuardrailIndexEntry {
  readonly id: string;
  /** The id of its check; its own id when absent. */
  readonly checkId?: string;
}

const fields = Object.keys(guardrailSchema.properties);

/** The guardrail of an index entry; throws InvalidGuardrail with everything that is wrong. */
export function guardrailFromIndex(entry: GuardrailIndexEntry, options: DefinitionOptions = {}): Guardrail {
  const known = Object.entries(entry).filter(([name]) => fields.includes(name));
  return defineGuardrail({ ...(Object.fromEntries(known) as unknown as Guardrail), check: entry.checkId ?? entry.id }, options);
}
