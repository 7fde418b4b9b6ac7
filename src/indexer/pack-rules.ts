import { isBuiltInCheckId } from '../checks/index.js';
import type { FileProblem } from '../threads/link/definitions.js';
import type { SourceDefinition } from './pack-index.js';
import type { Problem } from './problem.js';
import { checkShape } from './shape.js';

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

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** What is wrong with a flow as a graph; its shape must be in order. */
function checkFlow(fields: Readonly<Record<string, unknown>>, entry: string): FileProblem[] {
  const nodes = (fields['nodes'] as readonly { readonly id: string }[]).map(({ id }) => id);
  const edges = fields['edges'] as readonly Edge[];
  const problem = (field: string, rule: string, message: string, hint: string): FileProblem => ({ severity: 'error', entry, field, rule, message, hint });
  const twice = nodes.flatMap((id, at) => (nodes.indexOf(id) < at ? [problem(`nodes.${at}.id`, 'node-ids', `is another node's as well: ${JSON.stringify(id)}`, 'node ids are unique in a flow')] : []));
  const loose = edges.flatMap(({ from, to }, at) => [
    ...(from === '$start' || nodes.includes(from) ? [] : [problem(`edges.${at}.from`, 'edges', `names no node: ${JSON.stringify(from)}`, "a node's id, or '$start'")]),
    ...(to === '$end' || nodes.includes(to) ? [] : [problem(`edges.${at}.to`, 'edges', `names no node: ${JSON.stringify(to)}`, "a node's id, or '$end'")]),
  ]);
  // Where an edge leads nowhere, what lies behind it is not the flow's mistake.
  if (loose.length > 0) return [...twice, ...loose];
  const reached = reachable(edges);
  const lost = nodes.flatMap((id, at) => (reached.has(id) ? [] : [problem(`nodes.${at}`, 'unreachable', `no way leads from $start to ${JSON.stringify(id)}`, 'add an edge to it, or take it out')]));
  return [...twice, ...lost];
}

function reachable(edges: readonly Edge[]): Set<string> {
  const reached = new Set(['$start']);
  for (const node of reached) for (const { from, to } of edges) if (from === node) reached.add(to);
  return reached;
}
