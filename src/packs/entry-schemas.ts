import { builtInCheck } from '../guardrails/checks/index.js';
import type { BuiltInCheckId } from '../protocol/built-in-checks.js';
import type { PackCheckEntry, SchemaWarning, ToolEntry } from '../protocol/threads.js';
import { SchemaCompiler } from '../schemas/schema-compiler.js';
import type { IndexedGuardrail, IndexedTool } from './index-file.js';

type Place = Omit<SchemaWarning, 'message'>;

/** Compiles the schemas of a pack's entries, and collects what is wrong with them. */
export class EntrySchemas {
  /** What of the schemas is not understood and only annotates. */
  readonly warnings: SchemaWarning[] = [];
  /** The schemas that do not compile, each with its entry's name. */
  readonly problems: string[] = [];
  readonly #inputs = new SchemaCompiler({ fillDefaults: true });
  readonly #others = new SchemaCompiler({ fillDefaults: false });

  ofTool({ id, input, output }: IndexedTool): Pick<ToolEntry, 'inputValidator' | 'outputValidator'> {
    return { inputValidator: this.#compile(this.#inputs, input, { tool: id, schema: 'input' }), outputValidator: this.#compile(this.#others, output, { tool: id, schema: 'output' }) };
  }

  /** `check`: the id the guardrail's check is called by. */
  ofCheck(check: string, { configSchema }: IndexedGuardrail): Pick<PackCheckEntry, 'configValidator'> {
    return { configValidator: configSchema === undefined ? undefined : this.#compile(this.#others, configSchema, { check, schema: 'configSchema' }) };
  }

  /** The config of one of packhost's own checks is held to that check's schema, whatever the index says of it. */
  ofBuiltIn(id: BuiltInCheckId): string {
    return this.#compile(this.#others, builtInCheck(id).configSchema, { check: id, schema: 'configSchema' });
  }

  #compile(compiler: SchemaCompiler, schema: unknown, place: Place): string {
    const name = place.tool === undefined ? `Check "${place.check}"` : `Tool "${place.tool}"`;
    try {
      const { code, warnings } = compiler.compile(schema);
      this.warnings.push(...warnings.map((warning) => ({ ...place, message: `${name}, ${place.schema} schema: ${warning}` })));
      return code;
    } catch (error) {
      this.problems.push(`${name}: its ${place.schema} schema does not compile: ${error instanceof Error ? error.message : String(error)}`);
      return '';
    }
  }
}
