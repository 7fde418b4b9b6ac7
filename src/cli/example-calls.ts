import { tokenName } from '../packs/environment.js';
import { checkIdOf, type IndexFile } from '../packs/index-file.js';
import { headers } from '../protocol/headers.js';

/** Two lines for a shell that call the pack's first tool, or its first check; none for a pack that has neither. */
export function exampleCalls(index: IndexFile, url: string, token: string): string[] {
  const [tool] = index.tools;
  const [guardrail] = index.guardrails;
  if (tool !== undefined) {
    const input = sampleInput(tool.input);
    const isOneOfSeveral = index.tools.some((other) => other !== tool && other.id === tool.id);
    const version = isOneOfSeveral ? { version: tool.version } : {};
    const flags = isOneOfSeveral ? ` --tool-version ${quoted(tool.version ?? '')}` : '';
    const message = { v: 2, kind: 'invoke', tool: { id: tool.id, ...version }, input, ctx: { tenantId: 'local', runId: 'run-1' } };
    return [curl(url, token, message), call(url, token, `${quoted(tool.id)}${flags} --input ${quoted(JSON.stringify(input))}`)];
  }
  if (guardrail === undefined) return [];
  const id = checkIdOf(guardrail);
  const config = guardrail.config ?? sampleInput(guardrail.configSchema);
  const trace = { tenantId: 'local', runId: 'run-1', output: 'text', toolCalls: [], toolResults: [], modelCalls: [], mode: 'runtime' };
  return [curl(url, token, { v: 2, kind: 'check-invoke', check: { id }, config, trace }), call(url, token, `--check ${quoted(id)} --config ${quoted(JSON.stringify(config))}`)];
}

function curl(url: string, token: string, message: unknown): string {
  return `curl -s ${url}/v1/invoke -H '${headers.token}: ${token}' -H 'content-type: application/json' -d ${quoted(JSON.stringify(message))}`;
}

function call(url: string, token: string, what: string): string {
  return `${tokenName}=${token} npx packhost call ${what} --url ${url}`;
}

/** A word of a shell's. */
function quoted(text: string): string {
  return /^[\w.@/:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

type Schema = Readonly<Record<string, unknown>>;

/** A value that a JSON Schema takes, as far as its examples, required fields and plain bounds tell. */
function sampleInput(schema: unknown): unknown {
  if (!isSchema(schema)) return {};
  const { examples, enum: choices, anyOf, oneOf } = schema;
  if (isList(examples)) return examples[0];
  if ('default' in schema) return schema['default'];
  if ('const' in schema) return schema['const'];
  if (isList(choices)) return choices[0];
  const alternatives = isList(anyOf) ? anyOf : isList(oneOf) ? oneOf : undefined;
  return alternatives === undefined ? ofType(schema) : sampleInput(alternatives[0]);
}

function ofType(schema: Schema): unknown {
  const { type } = schema;
  switch (isList(type) ? type[0] : type) {
    case 'string':
      return 'text'.padEnd(number(schema['minLength'], 0), '.').slice(0, number(schema['maxLength'], Infinity));
    case 'integer':
    case 'number':
      return number(schema['minimum'], Math.min(1, number(schema['maximum'], 1)));
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: number(schema['minItems'], 0) }, () => sampleInput(schema['items']));
    default:
      return ofObject(schema);
  }
}

function ofObject({ required, properties }: Schema): Schema {
  const names = isList(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, sampleInput(isSchema(properties) ? properties[name] : undefined)]));
}

function number(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
