import { refuse } from './definition-error.js';
import { graphProblems } from './flow-graph.js';
import { fields, isRecord, type Kind, list, oneOf, optional, record, text, wholeNumber } from './kinds.js';
import { reference, type Reference, referenceTo, semver } from './reference.js';
import { isTool, type ToolFacts } from './tool.js';

type Data = Readonly<Record<string, unknown>>;

/** One step of a flow. A `tool` or `agent` is named by its `ref`; `loop`, `fanout` and `subgraph` have fields of their own. */
export interface FlowNode<Ref = string | Reference> {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly kind: 'tool' | 'agent' | 'loop' | 'fanout' | 'subgraph';
  readonly ref?: Ref;
  readonly config?: Data;
  readonly inputMapping?: Data;
}

/** From one node to the next; a flow starts at `$start` and ends at `$end`. */
export interface FlowEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The condition under which the edge is taken. */
  readonly when?: unknown;
  readonly policy?: unknown;
}

interface FlowFacts {
  readonly id: string;
  readonly version: string;
  readonly edges: readonly FlowEdge[];
  readonly name?: string;
  readonly description?: string;
  /** Nodes that may run at once. */
  readonly maxParallelism?: number;
  readonly metadata?: Data;
  readonly output?: Data;
}

/** A flow as it is declared; a node's `ref` is an id, a reference, or a tool as `tool` declared it. */
export interface FlowDeclaration extends FlowFacts {
  readonly nodes: readonly FlowNode<string | Reference | ToolFacts>[];
}

/** A flow: the data of its index entry. */
export interface Flow extends FlowFacts {
  readonly nodes: readonly FlowNode[];
  readonly kernelPayloadVersion: 1;
}

const ref: Kind = (value, place) => (isTool(value) ? [] : isRecord(value) ? reference(value, place) : text(value, place));
const step = fields({ id: text, kind: oneOf('tool', 'agent'), ref, config: optional(record), inputMapping: optional(record) });
const kinds = oneOf('tool', 'agent', 'loop', 'fanout', 'subgraph');

const node: Kind = (value, place) => {
  if (!isRecord(value)) return record(value, place);
  if (value['kind'] === 'tool' || value['kind'] === 'agent') return step(value, place);
  return [...text(value['id'], `${place}.id`), ...kinds(value['kind'], `${place}.kind`), ...(value['ref'] === undefined ? [] : ref(value['ref'], `${place}.ref`))];
};

const declaration = fields({
  id: text,
  version: semver,
  nodes: list(node),
  edges: list(fields({ id: text, from: text, to: text, when: () => [], policy: () => [] })),
  name: optional(text),
  description: optional(text),
  maxParallelism: optional(wholeNumber(1)),
  metadata: optional(record),
  output: optional(record),
});

/** Declares a flow: nodes, and edges between them. Pure data. Throws DefinitionError with every problem by its place, the graph's included. */
export function flow(declared: FlowDeclaration): Flow {
  const problems = declaration(declared, '');
  refuse('Flow', isRecord(declared) ? declared.id : undefined, problems.length > 0 ? problems : graphProblems(declared.nodes, declared.edges));
  return Object.freeze({ ...declared, nodes: declared.nodes.map(withReference), kernelPayloadVersion: 1 });
}

function withReference(node: FlowNode<string | Reference | ToolFacts>): FlowNode {
  const { ref: given } = node;
  return typeof given === 'object' && isTool(given) ? { ...node, ref: referenceTo(given) } : (node as FlowNode);
}
