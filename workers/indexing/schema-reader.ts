import { SchemaCompiler } from '../../src/schemas/schema-compiler.js';
import { type Validator, validatorOf } from '../load/validators.js';
import { jsonOf } from './fields.js';
import { isObject } from './find-definitions.js';
import { type Direction, isLiveSchema, jsonSchemaOf } from './json-schema.js';
import { type Report, reasonOf } from './report.js';

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
