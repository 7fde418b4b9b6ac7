import { defineGuardrail, type Guardrail, guardrailSchema, InvalidGuardrail } from '../../guardrails/index.js';
import { BootError } from '../../packs/boot-error.js';
import type { IndexFile } from '../../packs/index-file.js';

const fields = Object.keys(guardrailSchema.properties);

/** The guardrails of an index, ready to be evaluated; throws BootError with the issues of all that are none. */
export function guardrailsOf(index: IndexFile): Guardrail[] {
  const problems: string[] = [];
  const guardrails = index.guardrails.flatMap((entry) => {
    try {
      // An index says more than the schema does, such as where a check's module is.
      const known = Object.entries(entry).filter(([name]) => fields.includes(name));
      return [defineGuardrail({ ...(Object.fromEntries(known) as unknown as Guardrail), check: entry.checkId ?? entry.id })];
    } catch (error) {
      if (!(error instanceof InvalidGuardrail)) throw error;
      problems.push(...error.issues.map(({ instancePath, message }) => `Index: guardrail "${entry.id}" ${instancePath || '/'} ${message}`));
      return [];
    }
  });
  if (problems.length > 0) throw new BootError(problems);
  return guardrails;
}
