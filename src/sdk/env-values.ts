import { isRecord } from './kinds.js';
import type { NeededValues } from './needs.js';
import { SchemaMismatch } from './schema-source.js';

/**
 * Fills in the environment values that a tool declares, as the runtime does: what is offered, else the
 * schema's default. Names that it does not declare are dropped. Throws SchemaMismatch for a value that is
 * missing or breaks its schema, as far as a schema speaks of text: `enum`, `const`, lengths and `pattern`.
 */
export function envValues(declared: NeededValues, offered: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const issues: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, schema] of Object.entries(declared)) {
    const keywords = isRecord(schema) ? schema : {};
    const value = offered[name] ?? keywords['default'];
    const problem = typeof value === 'string' ? textProblem(value, keywords) : value === undefined ? 'is missing, and has no default' : 'must be text';
    if (problem !== undefined) issues.push(`/${name}: ${problem}`);
    else values[name] = value as string;
  }
  if (issues.length > 0) throw new SchemaMismatch('The environment', issues);
  return values;
}

function textProblem(value: string, { type, enum: choices, const: only, minLength, maxLength, pattern }: Readonly<Record<string, unknown>>): string | undefined {
  const length = [...value].length;
  if (type !== undefined && type !== 'string' && !(Array.isArray(type) && type.includes('string'))) return `must be ${JSON.stringify(type)}, which text is not`;
  if (Array.isArray(choices) && !choices.includes(value)) return `must be one of ${JSON.stringify(choices)}`;
  if (only !== undefined && value !== only) return `must be ${JSON.stringify(only)}`;
  if (typeof minLength === 'number' && length < minLength) return `must have at least ${minLength} characters`;
  if (typeof maxLength === 'number' && length > maxLength) return `must have at most ${maxLength} characters`;
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return `must match ${pattern}`;
  return undefined;
}
