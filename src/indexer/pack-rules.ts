import { isBuiltInCheckId } from '../protocol/built-in-checks.js';
import type { FileProblem } from '../threads/link/definitions.js';
import { checkFlow } from './flow-rules.js';
import type { Problem } from './problem.js';
import { checkShape } from './shape.js';
import type { SourceDefinition } from './sources.js';

/** What is wrong with one definition by itself. */
export function checkDefinition({ file, definition: { kind, fields, ownCheck } }: SourceDefinition, packId: string): Problem[] {
  const entry = typeof fields['id'] === 'string' ? fields['id'] : undefined;
  const problems = checkShape(kind, fields, entry);
  if (kind === 'flow' && problems.length === 0 && entry !== undefined) problems.push(...checkFlow(fields, entry));
  if (ownCheck === true) problems.push(...checkCheckId(fields, packId));
  return problems.map((problem) => ({ file, ...problem }));
}

/** What definitions are to each other: an id, and for tools, agents and flows its version, stands once. */
export function checkTogether(definitions: readonly SourceDefinition[]): Problem[] {
  const first = new Map<string, string>();
  return definitions.flatMap(({ file, definition: { kind, fields } }) => {
    const { id, version } = fields;
    if (typeof id !== 'string') return [];
    const key = JSON.stringify([kind, id, version]);
    const other = first.get(key);
    first.set(key, other ?? file);
    if (other === undefined) return [];
    const message = `stands in ${other === file ? 'this file' : other} already${typeof version === 'string' ? `, in version ${version}` : ''}`;
    const hint = kind === 'guardrail' ? 'give one another id' : 'give one another id or version';
    return [{ severity: 'error', file, entry: id, field: 'id', rule: 'duplicate', message, hint } satisfies Problem];
  });
}

function checkCheckId(fields: Readonly<Record<string, unknown>>, packId: string): FileProblem[] {
  const { id, checkId = id } = fields;
  if (typeof id !== 'string' || typeof checkId !== 'string') return [];
  const field = fields['checkId'] === undefined ? 'id' : 'check.id';
  if (isBuiltInCheckId(checkId)) {
    return [{ severity: 'error', entry: id, field, rule: 'reserved-check-id', message: `is a built-in check's: ${JSON.stringify(checkId)}`, hint: `name it "${packId}.${checkId}", or use the built-in one with check: ${JSON.stringify(checkId)}` }];
  }
  if (checkId.startsWith(`${packId}.`)) return [];
  return [{ severity: 'warning', entry: id, field, rule: 'check-id-prefix', message: `does not start with the pack's id: ${JSON.stringify(checkId)}`, hint: `"${packId}.${checkId}" cannot meet another pack's check` }];
}
