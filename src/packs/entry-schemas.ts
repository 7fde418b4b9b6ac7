import { setImmediate as nextTurn } from 'node:timers/promises';
import { builtInCheck, type BuiltInCheckId } from '../checks/index.js';
import type { SchemaCompiler } from '../schemas/schema-compiler.js';
import type { PackCheckEntry, ToolEntry } from '../threads/link/thread-pack.js';
import type { IndexedGuardrail, IndexedTool } from './index-file.js';

/** A schema that is served although part of it is not understood. */
export interface SchemaWarning {
  readonly tool?: string;
  readonly check?: string;
  readonly schema: 'input' | 'output' | 'configSchema';
  readonly message: string;
}

type Place = Omit<SchemaWarning, 'message'>;

/** What compiling a pack's schemas came to. */
export interface CompiledSchemas {
  /** The code of each, in the places that the entries name; empty for those that do not compile. */
  readonly codes: readonly string[];
  /** What of the schemas is not understood and only annotates. */
  readonly warnings: readonly SchemaWarning[];
  /** The schemas that do not compile, each with its entry's name: the pack cannot be served. */
  readonly problems: readonly string[];
}

/** The main thread compiles for so long at a time: a service that reloads goes on answering meanwhile. */
const longestSliceMs = 5;

/** The schemas of a pack's entries, each in the place that its entry names. */
export class EntrySchemas {
  readonly #schemas: { readonly schema: unknown; readonly place: Place }[] = [];
  #compiled: Promise<CompiledSchemas> | undefined;

  ofTool({ id, input, output }: IndexedTool): Pick<ToolEntry, 'inputValidator' | 'outputValidator'> {
    return { inputValidator: this.#add(input, { tool: id, schema: 'input' }), outputValidator: this.#add(output, { tool: id, schema: 'output' }) };
  }

  /** `check`: the id the guardrail's check is called by. */
  ofCheck(check: string, { configSchema }: IndexedGuardrail): Pick<PackCheckEntry, 'configValidator'> {
    return { configValidator: configSchema === undefined ? undefined : this.#add(configSchema, { check, schema: 'configSchema' }) };
  }

  /** The config of one of packhost's own checks is held to that check's schema, whatever the index says of it. */
  ofBuiltIn(id: BuiltInCheckId): number {
    return this.#add(builtInCheck(id).configSchema, { check: id, schema: 'configSchema' });
  }

  /** Compiles them, once, from the next turn on: threads that are started in this one load the pack's modules meanwhile. */
  compile(): Promise<CompiledSchemas> {
    return (this.#compiled ??= this.#compile());
  }

  #add(schema: unknown, place: Place): number {
    return this.#schemas.push({ schema, place }) - 1;
  }

  async #compile(): Promise<CompiledSchemas> {
    // Loaded here, and not with this file, for the same reason.
    const { SchemaCompiler } = await import('../schemas/schema-compiler.js');
    const inputs = new SchemaCompiler({ fillDefaults: true });
    const others = new SchemaCompiler({ fillDefaults: false });
    const codes: string[] = [];
    const warnings: SchemaWarning[] = [];
    const problems: string[] = [];
    let sliceEnd = performance.now() + longestSliceMs;
    for (const { schema, place } of this.#schemas) {
      const compiled = compileOne(place.schema === 'input' ? inputs : others, schema, place);
      codes.push(compiled.code);
      warnings.push(...compiled.warnings);
      problems.push(...compiled.problems);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + longestSliceMs;
    }
    return { codes, warnings, problems };
  }
}

function compileOne(compiler: SchemaCompiler, schema: unknown, place: Place): { readonly code: string } & Omit<CompiledSchemas, 'codes'> {
  const name = place.tool === undefined ? `Check "${place.check}"` : `Tool "${place.tool}"`;
  try {
    const { code, warnings } = compiler.compile(schema);
    return { code, warnings: warnings.map((warning) => ({ ...place, message: `${name}, ${place.schema} schema: ${warning}` })), problems: [] };
  } catch (error) {
    return { code: '', warnings: [], problems: [`${name}: its ${place.schema} schema does not compile: ${error instanceof Error ? error.message : String(error)}`] };
  }
}
