import type { DeclaredIsolation } from '../protocol/isolation.js';
import type { ContextShape, ToolContext } from './context.js';
import { refuse } from './definition-error.js';
import { isolationFields, type NeedsSpec, needsSpec } from './needs.js';
import { callable, fields, flag, isRecord, type Kind, list, optional, record, text } from './kinds.js';
import type { PauseAnswer } from './pause.js';
import { semver } from './reference.js';
import { type InputOf, type OutputOf, parseWith, type ResolvedSchema, resolveSchema, type SchemaSource, type StandardSchema } from './schema-source.js';
import type { JsonSchema } from './schema-type.js';

/** What is said of a tool, whether it is code or one HTTP request. */
export interface ToolFacts {
  /** Unique within the pack, with its version. */
  readonly id: string;
  /** What it does, for the model that chooses among tools. */
  readonly description: string;
  /** A semantic version; the pack's when left out. */
  readonly version?: string;
  /** What a call does to the world, as data. */
  readonly effects?: readonly Readonly<Record<string, unknown>>[];
  /** false: it only reads. It then runs in a dry run, without approval, and beside other calls that read. */
  readonly mutating?: boolean;
  /** true: in a run that no person started, each call waits for a person's approval. */
  readonly needsApprovalWhenUnattended?: boolean;
  /** true: its results are text from outside that nobody checked; an agent takes them as data, not as instructions. */
  readonly resultIsOutsideData?: boolean;
}

/** A tool as it is declared. */
export interface ToolDeclaration<Input extends SchemaSource, Output extends SchemaSource, Shape extends ContextShape> extends ToolFacts, DeclaredIsolation {
  readonly input: Input;
  readonly output: Output;
  readonly needs?: readonly Readonly<Record<string, unknown>>[];
  readonly needsSpec?: Shape['needsSpec'] & NeedsSpec;
  /** true: a call may wait for another system's answer, by `ctx.waitToken` and `ctx.pause()`. */
  readonly pauses?: Shape['pauses'] & boolean;
  /** true: a call may store files it fetches, by `ctx.files.store`. */
  readonly storesFiles?: Shape['storesFiles'] & boolean;
  /** true: a call may read stored files, by `ctx.files.read`. */
  readonly readsFiles?: Shape['readsFiles'] & boolean;
  readonly handler: Handler<InputOf<Input>, OutputOf<Output>, Shape>;
}

/** The function behind a tool; sync or async. */
export type Handler<Input, Output, Shape extends ContextShape> = (input: Input, ctx: ToolContext<Shape>) => Returned<Output, Shape> | Promise<Returned<Output, Shape>>;

type Returned<Output, Shape extends ContextShape> = Output | (Shape extends { readonly pauses: true } ? PauseAnswer : never);

/** A declared tool: the data of its index entry, its handler, and the schema objects it was declared with. */
export interface Tool<Input = unknown, Output = unknown, Shape extends ContextShape = ContextShape> extends ToolFacts, DeclaredIsolation {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly needs?: readonly Readonly<Record<string, unknown>>[];
  readonly needsSpec?: NeedsSpec;
  readonly pauses?: boolean;
  readonly storesFiles?: boolean;
  readonly readsFiles?: boolean;
  /** The Standard Schema the input is parsed with, whatever library it is of. */
  readonly inputZod?: StandardSchema;
  /** The Standard Schema the output was declared by. */
  readonly outputZod?: StandardSchema;
  /** A method, so that a tool of any input goes where any tool is taken. */
  handler(input: Input, ctx: ToolContext<Shape>): Returned<Output, Shape> | Promise<Returned<Output, Shape>>;
}

/** The fields of ToolFacts. */
export const toolFacts = {
  id: text,
  description: text,
  version: optional(semver),
  effects: optional(list(record)),
  mutating: optional(flag),
  needsApprovalWhenUnattended: optional(flag),
  resultIsOutsideData: optional(flag),
};

const anySchema: Kind = () => [];

const declaration = fields({
  ...toolFacts,
  ...isolationFields,
  input: anySchema,
  output: anySchema,
  needs: optional(list(record)),
  needsSpec: optional(needsSpec),
  pauses: optional(flag),
  storesFiles: optional(flag),
  readsFiles: optional(flag),
  handler: callable,
});

/** Marks what this module made: a handler of such a tool finds `env`, `config` and `settings` in every context. */
const brand = Symbol.for('packhost.tool');

/**
 * Declares a tool. `input` and `output` are JSON Schemas or Standard Schemas (Zod from 4.2 on), and the
 * handler `(input, ctx)` is typed by them: it gets what the schema makes of the input, and answers what
 * fits the output. Throws DefinitionError with every problem, each by the name of its field.
 */
export function tool<
  const Input extends SchemaSource,
  const Output extends SchemaSource,
  const Needs extends NeedsSpec = Record<never, never>,
  const Pauses extends boolean = false,
  const Stores extends boolean = false,
  const Reads extends boolean = false,
>(
  declared: ToolDeclaration<Input, Output, { readonly needsSpec: Needs; readonly pauses: Pauses; readonly storesFiles: Stores; readonly readsFiles: Reads }>,
): Tool<InputOf<Input>, OutputOf<Output>, { readonly needsSpec: Needs; readonly pauses: Pauses; readonly storesFiles: Stores; readonly readsFiles: Reads }> {
  const problems = [...declaration(declared, '')];
  if (!isRecord(declared)) refuse('Tool', undefined, problems);
  const input = resolveSchema(declared.input, 'input', 'input', problems);
  const output = resolveSchema(declared.output, 'output', 'output', problems);
  refuse('Tool', declared.id, problems);
  return markTool({ ...declared, ...schemaFields(input, output) });
}

/** The fields by which a tool carries its schemas. */
export function schemaFields(input: ResolvedSchema, output: ResolvedSchema): Pick<Tool, 'input' | 'output' | 'inputZod' | 'outputZod'> {
  return {
    input: input.json,
    output: output.json,
    ...(input.standard === undefined ? {} : { inputZod: input.standard }),
    ...(output.standard === undefined ? {} : { outputZod: output.standard }),
  };
}

/** Says of a tool that this module made it. */
export function markTool<T extends object>(definition: T): T {
  return Object.freeze(Object.defineProperty(definition, brand, { value: true }));
}

/** Whether `tool` or `httpTool` made it, of this copy of the module or another; an HTTP tool has no handler. */
export function isTool(value: unknown): value is Omit<Tool, 'handler'> {
  return isRecord(value) && (value as { [brand]?: unknown })[brand] === true;
}

/** A handler's argument for an input as it comes over the wire. A JSON Schema is judged by the service alone; throws SchemaMismatch for a Standard Schema. */
export async function parseInput<Input>(definition: Pick<Tool, 'id' | 'inputZod'> & { handler(input: Input, ctx: never): unknown }, value: unknown): Promise<Input> {
  return (await parseWith(definition.inputZod, value, `The input of tool "${definition.id}"`)) as Input;
}

/** The JSON form of what a handler returned, which is what the service validates and sends: dates are text, undefined fields are gone. */
export function dumpOutput(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}
