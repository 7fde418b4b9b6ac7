import type { DeclaredIsolation } from '../protocol/isolation.js';
import { refuse } from './definition-error.js';
import { bodyProblems, httpFields, type HttpSpec, placeholdersOf } from './http-spec.js';
import { isolationFields, type NeedsSpec, needsSpec } from './needs.js';
import { fields, isRecord, type Kind, optional } from './kinds.js';
import { resolveSchema, type SchemaSource } from './schema-source.js';
import type { JsonSchema } from './schema-type.js';
import { markTool, schemaFields, type Tool, type ToolFacts, toolFacts } from './tool.js';

/** A tool that is one HTTP request, as it is declared. */
export interface HttpToolDeclaration extends ToolFacts, DeclaredIsolation, Omit<HttpSpec, 'kind'> {
  readonly input: SchemaSource;
  readonly output: SchemaSource;
  readonly needsSpec?: NeedsSpec;
}

/** A declared HTTP tool: the data of its index entry, `spec` included. It has no handler: the host makes the request. */
export interface HttpTool extends Omit<Tool, 'handler'> {
  readonly spec: HttpSpec;
}

const anySchema: Kind = () => [];
const declaration = fields({ ...toolFacts, ...isolationFields, ...httpFields, input: anySchema, output: anySchema, needsSpec: optional(needsSpec) });

/**
 * Declares a tool that is one HTTP request. `{name}` in `urlTemplate`, and in the template of a text body,
 * is the input's field of that name, URL-encoded. Throws DefinitionError with every problem by its field,
 * placeholders included that the input's schema does not know.
 */
export function httpTool(declared: HttpToolDeclaration): HttpTool {
  const problems = [...declaration(declared, ''), ...bodyProblems(declared)];
  if (!isRecord(declared)) refuse('Tool', undefined, problems);
  const input = resolveSchema(declared.input, 'input', 'input', problems);
  const output = resolveSchema(declared.output, 'output', 'output', problems);
  const { method, urlTemplate, headers, authorization, requestBody, timeoutMs, parseJson, successStatus, ...facts } = declared;
  const templates = { urlTemplate, ...(requestBody?.kind === 'text' ? { 'requestBody.template': requestBody.template } : {}) };
  for (const [field, template] of Object.entries(templates)) problems.push(...unknownPlaceholders(field, template, input.json));
  refuse('Tool', declared.id, problems);
  const parts = { headers, authorization, requestBody, timeoutMs, parseJson, successStatus };
  const given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Omit<HttpSpec, 'kind' | 'method' | 'urlTemplate'>;
  return markTool({ ...facts, ...schemaFields(input, output), spec: { kind: 'http', method, urlTemplate, ...given } });
}

/** Only a schema that lists its properties can tell. */
function unknownPlaceholders(field: string, template: unknown, input: JsonSchema): string[] {
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  if (typeof template !== 'string' || !isRecord(properties)) return [];
  return placeholdersOf(template)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => `${field} has {${name}}, which is no property of input`);
}
