import type { FileProblem } from '../threads/link/definitions.js';

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** What is wrong with a flow as a graph; its shape must be in order. */
export function checkFlow(fields: Readonly<Record<string, unknown>>, entry: string): FileProblem[] {
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
