import { type Guardrail, guardrailFromIndex, InvalidGuardrail } from '../../guardrails/index.js';
import { BootError } from '../../packs/boot-error.js';
import type { IndexFile } from '../../packs/index-file.js';

/** The guardrails of an index, ready to be evaluated; throws BootError with the issues of all that are none, or share their id. */
export function guardrailsOf(index: IndexFile): Guardrail[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  const guardrails = index.guardrails.flatMap((entry) => {
    if (ids.has(entry.id)) problems.push(`Index: guardrail "${entry.id}" stands there twice`);
    ids.add(entry.id);
    try {
      return [guardrailFromIndex(entry)];
    } catch (error) {
      if (!(error instanceof InvalidGuardrail)) throw error;
      problems.push(...error.issues.map(({ instancePath, message }) => `Index: guardrail "${entry.id}" ${instancePath || '/'} ${message}`));
      return [];
    }
  });
  if (problems.length > 0) throw new BootError(problems);
  return guardrails;
}
