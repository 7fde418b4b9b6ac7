import addFormatsModule from 'ajv-formats';
import { _, Ajv2020, type CodeKeywordDefinition, Name, type ValidateFunction } from 'ajv/dist/2020.js';
import standaloneCodeModule from 'ajv/dist/standalone/index.js';
import { ownSchemaErrors } from './own-schemas.js';
import { isRegExp, validatorFormats, validatorRegExp } from './validator-code.js';

/** A schema as compiled, with what of it is not understood and therefore only annotates. */
export interface CompiledSchema {
  /** JavaScript for `workers/load/validators.ts`: one compilation serves every thread, and no thread has to load the compiler. */
  readonly code: string;
  readonly warnings: readonly string[];
}

type JsonSchema = Record<string, unknown> | boolean;

const draft2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const unknownFormat = /^unknown format "(.+)" ignored in schema/s;

// Both are CommonJS: what they export is the default export of their default export.
const addFormats = addFormatsModule.default;
const standaloneCode = standaloneCodeModule.default;

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
      validateSchema: false,
      logger: { log: warn, warn, error: warn },
      code: {
        source: true,
        // Its passes take a third of the compilation, and V8 does the same again where it matters.
        optimize: false,
        // What Ajv would run: the threads run the source, and parsing it here takes a sixth of the compilation.
        process: () => 'return () => {}',
        formats: _`${new Name(validatorFormats)}`,
        regExp: Object.assign((pattern: string, flags: string) => this.#regExp(pattern, flags), { code: validatorRegExp }),
      },
    });
    if (fillDefaults) this.#ajv.addKeyword(inheritedDefaults);
    else this.#ajv.addKeyword({ ...inheritedDefaults, code: () => {} });
    addFormats(this.#ajv);
  }

  /** Throws an Error that says what is wrong with a schema that cannot be compiled. */
  compile(source: unknown): CompiledSchema {
    const text = JSON.stringify(source);
    const known = this.#compiled.get(text);
    if (known) return known;
    this.#warnings = [];
    const schema = this.#withoutDialect(JSON.parse(text));
    this.#noteId(schema, text);
    const errors = ownSchemaErrors('json-schema', schema);
    if (errors.length > 0) throw new Error(`schema is invalid: ${errors.map(({ instancePath, message }) => `schema${instancePath} ${message}`).join(', ')}`);
    // What a schema has evaluated is of use to `unevaluatedProperties` and `unevaluatedItems` alone. Keeping track of it costs
    // code, and an object by the names of the properties: V8 remembers some 1,500 shapes that begin empty, and beyond
    // them no such object shares its own with others, the headers of a request among them.
    this.#ajv.opts.unevaluated = text.includes('"unevaluated');
    const code = standaloneCode(this.#ajv, this.#compileTolerant(withOwnProperties(schema)));
    // A schema's ids are its own: another tool may use the same ones.
    this.#ajv.removeSchema();
    const compiled = { code, warnings: [...new Set(this.#warnings)] };
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
      if (!isRegExp(pattern)) throw error;
      this.#warnings.push(`pattern "${pattern}" is no Unicode pattern and is read without the u flag`);
      return new RegExp(pattern);
    }
  }
}

/** Stands for `default` where Ajv would take an inherited value for one that was sent. */
const inheritedDefaults: CodeKeywordDefinition = {
  keyword: 'packhost:inheritedDefaults',
  type: 'object',
  before: 'properties',
  code: ({ gen, schema, data }) => {
    for (const [name, value] of Object.entries(schema as Record<string, unknown>)) {
      gen.if(_`!Object.hasOwn(${data}, ${name})`, () => gen.assign(_`${data}[${name}]`, _`JSON.parse(${JSON.stringify(value)})`));
    }
  },
};

/**
 * Writes `properties` that are named like what every object inherits in a way that Ajv judges by own
 * properties: it skips one declared as `__proto__`, and takes the inherited `valueOf` for a value
 * where there is a default for it.
 */
function withOwnProperties<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withOwnProperties) as T;
  if (!isObject(schema)) return schema;
  // Without a prototype, V8 keeps no shapes for it: see `compile`.
  const result = Object.create(null) as Record<string, unknown>;
  for (const [keyword, value] of Object.entries(schema)) result[keyword] = withOwnProperties(value);
  const { properties } = result;
  if (!isObject(properties)) return result as T;
  const inherited = Object.entries(properties).filter(([name]) => name in Object.prototype);
  const defaults = inherited.filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]) && 'default' in entry[1]);
  if (defaults.length > 0) result[inheritedDefaults.keyword as string] = Object.fromEntries(defaults.map(([name, property]) => [name, property['default']]));
  for (const [, property] of defaults) delete property['default'];
  const proto = inherited.find(([name]) => name === '__proto__');
  if (proto) result['patternProperties'] = { ...(result['patternProperties'] as object | undefined), '^__proto__$': proto[1] };
  return result as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
