import { refuse } from './definition-error.js';
import { fields, flag, isRecord, type Kind, list, optional, record, recordOf, text, wholeNumber } from './kinds.js';
import { reference, type Reference, referenceTo, semver, semverRange } from './reference.js';
import { resolveSchema, type SchemaSource } from './schema-source.js';
import type { JsonSchema } from './schema-type.js';
import { isTool, type ToolFacts } from './tool.js';

type Data = Readonly<Record<string, unknown>>;

/** The fields that an agent has the same way as declared and as data. */
interface AgentFacts {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** The system prompt, or a prompt block by its version range. */
  readonly instructions: string | { readonly prompt: string; readonly version: string };
  readonly capabilities?: readonly Data[];
  readonly retrieval?: readonly Data[];
  readonly parameters?: readonly Data[];
  /** Settings blocks, which tools read as `ctx.settings[id]`. */
  readonly settings?: readonly Reference[];
  /** A model-settings block. */
  readonly modelSettings?: Readonly<Record<string, string>>;
  readonly budget?: Data;
  readonly preferredProvider?: string;
  readonly preferredModel?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly conversationPolicy?: Data;
  readonly toolErrors?: Data;
  readonly parallelToolCalls?: boolean;
  readonly memory?: Data;
}

/** An agent as it is declared. */
export interface AgentDeclaration extends AgentFacts {
  /** Tools as `tool` declared them, pinned to their version, or references. */
  readonly tools?: readonly (ToolFacts | Reference)[];
  /** Guardrails as `guardrail` declared them, or their ids. */
  readonly guardrails?: readonly ({ readonly id: string } | string)[];
  /** What the agent answers with: a schema, or a schema with a name and the repairs that a model may try. */
  readonly output?: SchemaSource | { readonly schema: SchemaSource; readonly name?: string; readonly maxRepairs?: number };
}

/** An agent: the data of its index entry. */
export interface Agent extends AgentFacts {
  readonly capabilities: readonly Data[];
  readonly tools: readonly Reference[];
  readonly guardrails?: readonly string[];
  readonly output?: { readonly schema: JsonSchema; readonly name?: string; readonly maxRepairs?: number };
}

const toolOrReference: Kind = (value, place) => (isTool(value) ? [] : reference(value, place));
const guardrailOrId: Kind = (value, place) => (isRecord(value) ? text(value['id'], `${place}.id`) : text(value, place));
const instructions: Kind = (value, place) => (isRecord(value) ? fields({ prompt: text, version: semverRange })(value, place) : text(value, place));
const anyOutput: Kind = () => [];

const declaration = fields({
  id: text,
  version: semver,
  name: text,
  instructions,
  capabilities: optional(list(record)),
  tools: optional(list(toolOrReference)),
  retrieval: optional(list(record)),
  guardrails: optional(list(guardrailOrId)),
  parameters: optional(list(record)),
  settings: optional(list(reference)),
  modelSettings: optional(recordOf(text)),
  budget: optional(record),
  preferredProvider: optional(text),
  preferredModel: optional(text),
  description: optional(text),
  tags: optional(list(text)),
  conversationPolicy: optional(record),
  output: anyOutput,
  toolErrors: optional(record),
  parallelToolCalls: optional(flag),
  memory: optional(record),
});

/** Declares an agent: instructions, capabilities, and the tools it may call. Pure data. Throws DefinitionError with every problem by its place. */
export function agent(declared: AgentDeclaration): Agent {
  const problems = [...declaration(declared, '')];
  if (!isRecord(declared)) refuse('Agent', undefined, problems);
  const { tools = [], guardrails, output, capabilities = [], ...facts } = declared;
  const answered = output === undefined ? undefined : outputOf(output, problems);
  refuse('Agent', declared.id, [...problems, ...repeated(tools, 'tools'), ...repeated(guardrails, 'guardrails')]);
  return Object.freeze({
    ...facts,
    capabilities,
    tools: tools.map(referenceTo),
    ...(guardrails === undefined ? {} : { guardrails: guardrails.map((each) => (typeof each === 'string' ? each : each.id)) }),
    ...(answered === undefined ? {} : { output: answered }),
  });
}

const inFull = fields({ schema: () => [], name: optional(text), maxRepairs: optional(wholeNumber(0)) });

function outputOf(output: NonNullable<AgentDeclaration['output']>, problems: string[]): NonNullable<Agent['output']> {
  if (!isInFull(output)) return { schema: resolveSchema(output, 'output', 'output', problems).json };
  problems.push(...inFull(output, 'output'));
  return { ...output, schema: resolveSchema(output.schema, 'output.schema', 'output', problems).json };
}

/** `schema` is no keyword of JSON Schema. */
function isInFull(output: unknown): output is { readonly schema: SchemaSource } {
  return isRecord(output) && !('~standard' in output) && 'schema' in output;
}

function repeated(given: unknown, field: string): string[] {
  if (!Array.isArray(given)) return [];
  const ids = given.map((each: unknown) => (isRecord(each) ? each['id'] : each));
  return ids.flatMap((id, at) => (typeof id === 'string' && ids.indexOf(id) < at ? [`${field}[${at}] is "${id}" again`] : []));
}

