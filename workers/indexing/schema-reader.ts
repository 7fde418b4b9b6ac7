import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SchemaCompiler } from '../../src/schemas/schema-compiler.js';
import { type Validator, validatorOf } from '../load/validators.js';
import { jsonOf } from './fields.js';
import { isObject } from './find-definitions.js';
import { reasonOf, type Report } from './report.js';

/** One schema of a definition, and where it stands. */
interface Place {
  readonly field: string;
  readonly io: Direction;
  /** The file it is in. */
  readonly url: string;
}

/** Converts a pack's schemas, and compiles them as the service's threads will. */
export class SchemaReader {
  readonly #inputs = new SchemaCompiler({ fillDefaults: true });
  readonly #others = new SchemaCompiler({ fillDefaults: false });

  /** The JSON Schema of what stands at a field; undefined, with a problem, where there is none to be had. */
  async read(schema: unknown, { field, io, url }: Place, report: Report): Promise<unknown> {
    if (schema === undefined) return undefined;
    try {
      const json = jsonOf(await jsonSchemaOf(schema, io, url), field, report);
      return isLiveSchema(schema) ? withoutDialect(json) : json;
    } catch (error) {
      report.add(field, 'schema', `cannot be converted: ${reasonOf(error)}`, {
        hint: 'give a JSON Schema beside it, or a schema of Zod 4, whose every part JSON Schema has',
      });
      return undefined;
    }
  }

  /** Compiles a schema; answers nothing, with a problem, when it does not. */
  compile(schema: unknown, field: string, report: Report): Validator | undefined {
    if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) return undefined;
    try {
      const { code, warnings } = (field === 'input' ? this.#inputs : this.#others).compile(schema);
      for (const warning of warnings) report.add(field, 'json-schema', warning, { severity: 'warning' });
      return validatorOf(code);
    } catch (error) {
      report.add(field, 'json-schema', `does not compile: ${reasonOf(error)}`, { hint: 'it must be a JSON Schema of draft 2020-12' });
      return undefined;
    }
  }

  /** A JSON Schema beside a live one wins: its author has written both. */
  choose(plain: unknown, live: unknown): unknown {
    return plain === undefined || (isLiveSchema(plain) && live !== undefined) ? live : plain;
  }
}

/** The index has one dialect: what a library says of it is left out, as the SDK does. */
function withoutDialect(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { $schema: _, ...rest } = json;
  return rest;
}

/** Whether a schema describes what comes in (defaults may be absent) or what goes out. */
type Direction = 'input' | 'output';

type ToJsonSchema = (schema: unknown, options: { readonly io: Direction; readonly target: string }) => unknown;

const target = 'draft-2020-12';

/**
 * The JSON Schema of a schema: its own where it is one; what it gives of itself with the Standard JSON
 * Schema interface (https://standardschema.dev/json-schema); for Zod 4 before it had that, what the
 * pack's own zod makes of it. Throws an Error that says what cannot be converted.
 */
async function jsonSchemaOf(schema: unknown, io: Direction, module: string): Promise<unknown> {
  const standard = field(schema, '~standard');
  const give = field(field(standard, 'jsonSchema'), io);
  if (typeof give === 'function') return Reflect.apply(give, field(standard, 'jsonSchema'), [{ target }]) as unknown;
  if (field(schema, '_zod') !== undefined) return (await packsZod(module))(schema, { io, target });
  if (standard === undefined && typeof field(schema, 'safeParse') !== 'function') return schema;
  throw new Error(`this ${vendorOf(standard)} schema gives no JSON Schema of itself`);
}

function isLiveSchema(value: unknown): boolean {
  return field(value, '~standard') !== undefined || typeof field(value, 'safeParse') === 'function';
}

/** The modules of zod, rather than its CommonJS twin: descriptions are kept in the copy that the pack imported. */
async function packsZod(module: string): Promise<ToJsonSchema> {
  const folder = dirname(createRequire(module).resolve('zod/package.json'));
  for (const entry of ['index.js', 'v4/index.js']) {
    const { toJSONSchema } = (await import(pathToFileURL(join(folder, entry)).href)) as { toJSONSchema?: unknown };
    if (typeof toJSONSchema === 'function') return toJSONSchema as ToJsonSchema;
  }
  throw new Error(`the zod in ${folder} has no toJSONSchema`);
}

function vendorOf(standard: unknown): string {
  const vendor = field(standard, 'vendor');
  return typeof vendor === 'string' ? vendor : 'Zod 3';
}

function field(value: unknown, name: string): unknown {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? (value as Record<string, unknown>)[name] : undefined;
}
