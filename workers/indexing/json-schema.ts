import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Whether a schema describes what comes in (defaults may be absent) or what goes out. */
export type Direction = 'input' | 'output';

type ToJsonSchema = (schema: unknown, options: { readonly io: Direction; readonly target: string }) => unknown;

const target = 'draft-2020-12';

/**
 * The JSON Schema of a schema: its own where it is one; what it gives of itself with the Standard JSON
 * Schema interface (https://standardschema.dev/json-schema); for Zod 4 before it had that, what the
 * pack's own zod makes of it. Throws an Error that says what cannot be converted.
 */
export async function jsonSchemaOf(schema: unknown, io: Direction, module: string): Promise<unknown> {
  const standard = field(schema, '~standard');
  const give = field(field(standard, 'jsonSchema'), io);
  if (typeof give === 'function') return Reflect.apply(give, field(standard, 'jsonSchema'), [{ target }]) as unknown;
  if (field(schema, '_zod') !== undefined) return (await packsZod(module))(schema, { io, target });
  if (standard === undefined && typeof field(schema, 'safeParse') !== 'function') return schema;
  throw new Error(`this ${vendorOf(standard)} schema gives no JSON Schema of itself`);
}

export function isLiveSchema(value: unknown): boolean {
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
