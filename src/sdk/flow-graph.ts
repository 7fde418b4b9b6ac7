interface Node {
  readonly id: string;
}

interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** Where every flow begins and ends; no nodes of its own. */
const start = '$start';
const end = '$end';

/** What is wrong with a graph whose nodes and edges are each in order: ids that repeat, edges that meet nothing, nodes that nothing leads to. */
export function graphProblems(nodes: readonly Node[], edges: readonly Edge[]): string[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const problems = [...repeated(nodes, 'nodes'), ...repeated(edges, 'edges')];
  for (const [at, { id }] of nodes.entries()) if (id === start || id === end) problems.push(`nodes[${at}].id must not be "${id}", which every flow has`);
  for (const [at, { from, to }] of edges.entries()) {
    if (!ids.has(from) && from !== start) problems.push(from === end ? `edges[${at}].from must not be "${end}"` : `edges[${at}].from is "${from}", which is no node`);
    if (!ids.has(to) && to !== end) problems.push(to === start ? `edges[${at}].to must not be "${start}"` : `edges[${at}].to is "${to}", which is no node`);
  }
  const reached = reachable(edges);
  for (const [at, { id }] of nodes.entries()) if (!reached.has(id)) problems.push(`nodes[${at}] "${id}" cannot be reached from ${start}`);
  return problems;
}

function repeated(items: readonly Node[], field: string): string[] {
  const seen = new Set<string>();
  return items.flatMap(({ id }, at) => {
    const again = seen.has(id);
    seen.add(id);
    return again ? [`${field}[${at}].id is "${id}" again`] : [];
  });
}

function reachable(edges: readonly Edge[]): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const reached = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    open.push(...(next.get(at) ?? []));
  }
  return reached;
}
