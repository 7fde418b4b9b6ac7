import { closest } from 'fastest-levenshtein';
import { builtInCheckIds, isBuiltInCheckId } from '../../src/checks/index.js';
import { builtInConfigProblems } from '../../src/sdk/built-in-config.js';
import type { Definition } from '../../src/threads/link/definitions.js';
import { indexedFields, jsonOf } from './fields.js';
import { type Exported, type Fields, isObject, unwrapped } from './find-definitions.js';
import type { Report } from './report.js';
import type { SchemaReader } from './schema-reader.js';

/** Everything a definition is read with. */
interface Reading {
  readonly url: string;
  readonly schemas: SchemaReader;
  readonly report: Report;
}

/** Turns what a module exports into the data of its index entry; the module's path is added later. */
export async function readDefinition({ kind, value }: Exclude<Exported, { kind: 'failed' }>, reading: Reading): Promise<Definition> {
  switch (kind) {
    case 'tool':
      return { kind, fields: await readTool(value, reading) };
    case 'guardrail':
      return readGuardrail(value, reading);
    case 'agent':
      return { kind, fields: await readAgent(value, reading) };
    case 'flow':
      return { kind, fields: await readFlow(value, reading) };
  }
}

async function readTool(value: Fields, { url, schemas, report }: Reading): Promise<Fields> {
  const fields = indexedFields('tool', value, report);
  for (const io of ['input', 'output'] as const) {
    const schema = await schemas.read(schemas.choose(value[io], value[`${io}Zod`]), { field: io, io, url }, report);
    if (schema !== undefined) fields[io] = schema;
    schemas.compile(schema, io, report);
  }
  if (typeof value['handler'] !== 'function' && typeof value['run'] !== 'function' && !isObject(value['spec'])) {
    report.add('handler', 'required', 'must be a function', { hint: '(input, ctx) => output; a tool that is one HTTP request has a spec instead' });
  }
  return fields;
}

async function readGuardrail(value: Fields, { url, schemas, report }: Reading): Promise<Definition> {
  const fields = indexedFields('guardrail', value, report);
  const check = unwrapped(value['check']);
  const own = isObject(check) ? check : {};
  const configSchema = await schemas.read(
    schemas.choose(value['configSchema'] ?? own['configSchema'], value['configZod'] ?? own['configZod']),
    { field: 'configSchema', io: 'input', url },
    report,
  );
  if (configSchema !== undefined) fields['configSchema'] = configSchema;
  const issues = schemas.compile(configSchema, 'configSchema', report)?.(fields['config'] ?? {}) ?? [];
  if (fields['config'] !== undefined) {
    for (const { instancePath, message } of issues) {
      const field = ['config', ...instancePath.split('/').slice(1)].join('.');
      report.add(field, 'config-schema', message);
    }
  }
  if (typeof check === 'string') {
    fields['checkId'] = check;
    if (isBuiltInCheckId(check)) for (const problem of builtInConfigProblems(check, fields['config'] ?? {}, 'config')) report.add('config', 'config-schema', problem);
    if (!isBuiltInCheckId(check)) report.add('check', 'built-in', `is no built-in check: ${JSON.stringify(check)}`, { hint: `did you mean ${closest(check, [...builtInCheckIds])}? A check of the pack's own is { id, evaluate }` });
    return { kind: 'guardrail', fields };
  }
  const checkId = own['id'] ?? value['checkId'];
  if (checkId !== undefined) fields['checkId'] = jsonOf(checkId, 'checkId', report);
  if (![check, own['evaluate'], value['evaluate']].some((candidate) => typeof candidate === 'function')) {
    report.add('check', 'required', 'must be { id, evaluate }, a function, or the id of a built-in check', { hint: 'evaluate(config, trace) => ({ passed: true })' });
  }
  return { kind: 'guardrail', fields, ownCheck: true };
}

async function readAgent(value: Fields, reading: Reading): Promise<Fields> {
  const { tools, guardrails } = value;
  const referring = {
    capabilities: [],
    tools: [],
    ...value,
    ...(Array.isArray(tools) ? { tools: tools.map(toolReference) } : {}),
    ...(Array.isArray(guardrails) ? { guardrails: guardrails.map(idOf) } : {}),
    ...(value['output'] === undefined ? {} : { output: await typedOutput(value['output'], reading) }),
  };
  return indexedFields('agent', referring, reading.report);
}

async function readFlow(value: Fields, reading: Reading): Promise<Fields> {
  const { nodes } = value;
  const referring = {
    kernelPayloadVersion: 1,
    ...value,
    ...(Array.isArray(nodes) ? { nodes: nodes.map((node: unknown) => (isObject(node) && node['ref'] !== undefined ? { ...node, ref: toolReference(node['ref']) } : node)) } : {}),
  };
  return indexedFields('flow', referring, reading.report);
}

/** `{ schema, name?, maxRepairs? }`, or the schema alone. */
async function typedOutput(output: unknown, { url, schemas, report }: Reading): Promise<unknown> {
  const full = isObject(output) && 'schema' in output ? output : { schema: output };
  const schema = await schemas.read(full['schema'], { field: 'output.schema', io: 'output', url }, report);
  schemas.compile(schema, 'output.schema', report);
  return { ...full, schema };
}

/** A tool itself where a reference is meant: its id, pinned to its version. One without a version has the pack's. */
function toolReference(value: unknown): unknown {
  const tool = unwrapped(value);
  if (!isDefinition(tool)) return value;
  return tool['version'] === undefined ? { id: tool['id'] } : { id: tool['id'], version: tool['version'] };
}

function idOf(value: unknown): unknown {
  const definition = unwrapped(value);
  return isDefinition(definition) ? definition['id'] : value;
}

function isDefinition(value: unknown): value is Fields {
  return isObject(value) && typeof value['id'] === 'string' && (typeof value['handler'] === 'function' || isObject(value['spec']) || 'check' in value || 'instructions' in value);
}
