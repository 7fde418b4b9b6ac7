import { expected, isRecord } from './kinds.js';
import type { FromSchema, JsonSchema } from './schema-type.js';
import { isStandardSchema, type StandardSchema } from './standard-schema.js';

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
