import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Issue } from '../src/protocol/messages.js';

/** Answers the issues of a value, at most 100 of them; undefined when it is valid. */
export type Validator = (value: unknown) => readonly Issue[] | undefined;

/** A schema as compiled, with what of it is not understood and therefore only annotates. */
export interface CompiledSchema {
  readonly validate: Validator;
  readonly warnings: readonly string[];
}

type JsonSchema = Record<string, unknown> | boolean;

const maxIssues = 100;
const draft2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const unknownFormat = /^unknown format "(.+)" ignored in schema/s;

// ajv-formats is CommonJS: its plugin is the default export of its default export.
const addFormats = addFormatsModule.default;

/**
 * Compiles JSON Schemas of draft 2020-12. Equal schemas are compiled once. Judged are own properties
 * only, or `required: ["toString"]` would pass an empty object.
 */
export class SchemaCompiler {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, CompiledSchema>();
  /** Ids by the schema that had them first. */
  readonly #ids = new Map<string, string>();
  #warnings: string[] = [];

  constructor({ fillDefaults }: { fillDefaults: boolean }) {
    const warn = (...said: unknown[]): void => void this.#warnings.push(said.join(' '));
    this.#ajv = new Ajv2020({
      allErrors: true,
      useDefaults: fillDefaults,
      ownProperties: true,
      strictSchema: 'log',
      strictTypes: false,
      strictTuples: false,
      strictRequired: false,
      strictNumbers: true,
      addUsedSchema: false,
      logger: { log: warn, warn, error: warn },
      code: { regExp: Object.assign((pattern: string, flags: string) => this.#regExp(pattern, flags), { code: 'new RegExp' }) },
    });
    addFormats(this.#ajv);
    this.#ajv.addFormat('regex', (pattern: string) => isRegExp(pattern, 'u') || isRegExp(pattern, ''));
  }

  /** Throws an Error that says what is wrong with a schema that cannot be compiled. */
  compile(source: unknown): CompiledSchema {
    const text = JSON.stringify(source);
    const known = this.#compiled.get(text);
    if (known) return known;
    this.#warnings = [];
    const schema = this.#withoutDialect(JSON.parse(text));
    this.#noteId(schema, text);
    const check = this.#compileTolerant(withoutInheritedDefaults(schema, (name) => this.#warnings.push(`the default of "${name}", which every object inherits, is not filled in`)));
    // A schema's ids are its own: another tool may use the same ones.
    this.#ajv.removeSchema();
    const compiled = { validate: validatorOf(check), warnings: [...new Set(this.#warnings)] };
    this.#compiled.set(text, compiled);
    return compiled;
  }

  /** Ajv throws on a format it does not know; the draft calls it an annotation. */
  #compileTolerant(schema: JsonSchema): ValidateFunction {
    const tolerated: string[] = [];
    try {
      for (;;) {
        try {
          return this.#ajv.compile(schema);
        } catch (error) {
          const format = unknownFormat.exec(error instanceof Error ? error.message : '')?.[1];
          if (format === undefined) throw error;
          this.#warnings.push(`unknown format "${format}" is taken as an annotation`);
          tolerated.push(format);
          this.#ajv.removeSchema();
          this.#ajv.addFormat(format, true);
        }
      }
    } finally {
      // The next schema that has it gets a warning of its own.
      for (const format of tolerated) delete this.#ajv.formats[format];
    }
  }

  #noteId(schema: JsonSchema, text: string): void {
    const id = typeof schema === 'boolean' ? undefined : schema['$id'];
    if (typeof id !== 'string') return;
    if (this.#ids.has(id) && this.#ids.get(id) !== text) this.#warnings.push(`$id "${id}" is also that of another schema; each is taken for itself`);
    else this.#ids.set(id, text);
  }

  #withoutDialect(schema: unknown): JsonSchema {
    if (typeof schema === 'boolean') return schema;
    const { $schema, ...rest } = schema as Record<string, unknown>;
    if (typeof $schema === 'string' && !draft2020.test($schema)) this.#warnings.push(`$schema "${$schema}" is read as draft 2020-12`);
    if (rest['$async'] !== undefined) throw new Error('$async is no keyword of JSON Schema');
    return rest;
  }

  /** JSON Schema asks for Unicode patterns, where `\-` outside of a class is an error; older ones were written without. */
  #regExp(pattern: string, flags: string): RegExp {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      if (!isRegExp(pattern, '')) throw error;
      this.#warnings.push(`pattern "${pattern}" is no Unicode pattern and is read without the u flag`);
      return new RegExp(pattern);
    }
  }
}

/** Ajv would take the inherited `valueOf` for a value that was sent, and judge it. */
function withoutInheritedDefaults<T>(schema: T, onDropped: (name: string) => void): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((item: unknown) => withoutInheritedDefaults(item, onDropped)) as T;
  const entries = Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
    const inner = withoutInheritedDefaults(value, onDropped);
    return [keyword, keyword === 'properties' && isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([name, property]) => [name, withoutDefault(name, property, onDropped)])) : inner];
  });
  return Object.fromEntries(entries) as T;
}

function withoutDefault(name: string, property: unknown, onDropped: (name: string) => void): unknown {
  if (!(name in Object.prototype) || !isObject(property) || !('default' in property)) return property;
  onDropped(name);
  return Object.fromEntries(Object.entries(property).filter(([keyword]) => keyword !== 'default'));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRegExp(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

function validatorOf(check: ValidateFunction): Validator {
  return (value) => {
    if (check(value)) return undefined;
    const errors = check.errors ?? [];
    check.errors = null;
    return errors.slice(0, maxIssues).map(issueOf);
  };
}

function issueOf({ instancePath, schemaPath, keyword, params, message }: ErrorObject): Issue {
  return { instancePath, schemaPath, keyword, params: params as Record<string, unknown>, message: message ?? `must pass ${keyword}` };
}
