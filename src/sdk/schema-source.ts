import { expected, isRecord } from './kinds.js';
import type { FromSchema, JsonSchema } from './schema-type.js';

/** What a Standard Schema makes of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] };

/**
 * A schema object of any library that follows https://standardschema.dev, such as Zod 4, Valibot and
 * ArkType. `jsonSchema` is the Standard JSON Schema part; Zod has it from 4.2 on.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...options: never[]) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** Whether a value has the Standard Schema interface; ArkType's schemas are functions. */
function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard?.validate === 'function';
}

/** What `input`, `output` and `configSchema` take: a JSON Schema, or a Standard Schema that can give its JSON Schema. */
export type SchemaSource = JsonSchema | StandardSchema;

/** What a handler gets: parsed by a Standard Schema, or valid against a JSON Schema with its defaults filled in. */
export type InputOf<S> = S extends StandardSchema ? Parsed<S> : FromSchema<S, 'input'>;

/** What a handler may return. */
export type OutputOf<S> = S extends StandardSchema ? Parsed<S> : FromSchema<S, 'output'>;

type Parsed<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** A schema in its wire form, and the object it came from where there is more to it. */
export interface ResolvedSchema {
  readonly json: JsonSchema;
  readonly standard: StandardSchema | undefined;
}

/** Reads a declared schema; what is wrong with it goes into `problems` under the field's name. */
export function resolveSchema(source: unknown, field: string, side: 'input' | 'output', problems: string[]): ResolvedSchema {
  if (!isStandardSchema(source)) {
    if (typeof source === 'boolean' || isRecord(source)) return { json: source, standard: undefined };
    problems.push(expected('a JSON Schema or a Standard Schema', source, field));
    return { json: true, standard: undefined };
  }
  const { jsonSchema, vendor } = source['~standard'];
  if (jsonSchema === undefined) {
    problems.push(`${field} is a schema of ${vendor} that cannot give its JSON Schema; Zod's own can from 4.2 on, Valibot's with toStandardJsonSchema`);
    return { json: true, standard: source };
  }
  try {
    const { $schema: _draft, ...json } = jsonSchema[side]({ target: 'draft-2020-12' });
    return { json, standard: source };
  } catch (error) {
    problems.push(`${field} cannot be written as JSON Schema: ${error instanceof Error ? error.message : String(error)}`);
    return { json: true, standard: source };
  }
}

/** Parses a value with a Standard Schema; throws SchemaMismatch with every issue. A JSON Schema is judged by the service, so the value passes as it is. */
export async function parseWith(schema: StandardSchema | undefined, value: unknown, what: string): Promise<unknown> {
  if (schema === undefined) return value;
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new SchemaMismatch(what, result.issues.map(({ message, path = [] }) => `${path.map((step) => `/${String(typeof step === 'object' ? step.key : step)}`).join('') || '/'}: ${message}`));
}

/** A value is not what its schema describes. */
export class SchemaMismatch extends TypeError {
  override readonly name = 'SchemaMismatch';
  /** One an issue, starting with its place: `/items/0: must be text`. */
  readonly issues: readonly string[];

  constructor(what: string, issues: readonly string[]) {
    super(`${what} does not fit its schema: ${issues.join('; ')}`);
    this.issues = issues;
  }
}
