import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { guardrailSchema, names, toolSchema } from '../packs/index-file.js';
import type { Definition, FileProblem } from '../threads/link/definitions.js';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: { type: 'string' } };
const list = { type: 'array' };
const records = { type: 'array', items: { type: 'object' } };
const record = { type: 'object' };
const flag = { type: 'boolean' };

/** What a definition must be, before its module's path is added. */
const schemas: Readonly<Record<Definition['kind'], object>> = {
  config: {
    type: 'object',
    required: ['pack'],
    properties: {
      pack: { type: 'object', required: ['id', 'version'], properties: { id: text, version: text } },
      discovery: { type: 'object', properties: { tools: text, guardrails: text, agents: text, flows: text } },
      env: { type: 'object', properties: { required: names, optional: names } },
    },
  },
  tool: {
    type: 'object',
    required: ['id', 'input', 'output'],
    properties: {
      ...toolSchema.properties,
      description: { type: 'string' },
      effects: records,
      needs: list,
      needsSpec: record,
      mutating: flag,
      spec: record,
      pauses: flag,
      storesFiles: flag,
      readsFiles: flag,
      needsApprovalWhenUnattended: flag,
      resultIsOutsideData: flag,
    },
  },
  guardrail: {
    type: 'object',
    required: ['id', 'kind', 'action'],
    properties: { ...guardrailSchema.properties, name: text, severity: text, scope: record, config: record, judgeCapabilities: record },
  },
  agent: {
    type: 'object',
    required: ['id', 'version', 'name', 'instructions'],
    properties: {
      id: text,
      version: text,
      name: text,
      instructions: { anyOf: [text, { type: 'object', required: ['prompt', 'version'], properties: { prompt: text, version: text } }] },
      capabilities: records,
      tools: { type: 'array', items: { type: 'object', required: ['id', 'version'], properties: { id: text, version: text } } },
      guardrails: list,
      retrieval: records,
      parameters: records,
      settings: { type: 'array', items: { type: 'object', required: ['id', 'version'], properties: { id: text, version: text } } },
      modelSettings: record,
      budget: record,
      preferredProvider: text,
      preferredModel: text,
      description: { type: 'string' },
      tags: texts,
      conversationPolicy: record,
      output: { type: 'object', required: ['schema'], properties: { schema: { type: ['object', 'boolean'] }, name: text, maxRepairs: { type: 'integer', minimum: 0 } } },
      toolErrors: record,
    },
  },
  flow: {
    type: 'object',
    required: ['id', 'version', 'nodes', 'edges'],
    properties: {
      id: text,
      version: text,
      kernelPayloadVersion: { const: 1 },
      nodes: { type: 'array', items: { type: 'object', required: ['id', 'kind'], properties: { id: text, kind: { enum: ['tool', 'agent', 'loop', 'fanout', 'subgraph'] } } } },
      edges: { type: 'array', items: { type: 'object', required: ['from', 'to'], properties: { id: text, from: text, to: text } } },
      name: text,
      description: { type: 'string' },
      maxParallelism: { type: 'integer', minimum: 1 },
      metadata: record,
    },
  },
};

/** What to write, by kind and field; the field alone where it is the same for all. */
const hints: Readonly<Record<string, string>> = {
  id: "for instance 'acme.search'; it starts with the pack's id",
  'config.pack': "pack: { id: 'acme', version: '1.0.0' }",
  'config.env.required': 'a name is letters, digits and _, and does not start with KINDGI_',
  'config.env.optional': 'a name is letters, digits and _, and does not start with KINDGI_',
  'tool.input': 'a JSON Schema or a Zod schema; { type: "object" } takes any object',
  'tool.output': 'a JSON Schema or a Zod schema; true takes anything',
  'guardrail.kind': "'zero-llm', 'llm-judge' or 'external'",
  'guardrail.action': "for instance { 'on-violation': 'halt' }",
  'agent.instructions': "the system prompt, or { prompt: 'acme.intake', version: '^1.0.0' }",
  'agent.tools': "{ id: 'acme.search', version: '^1.0.0' }",
  'agent.output': '{ schema, name?, maxRepairs? }',
  network: "{ kind: 'none' } or { kind: 'allowlist', hosts: ['api.example.com'] }",
  limits: '{ memMB?: 256, cpuMs?: 1000 }, whole numbers from 1',
  'flow.edges': "{ id, from, to }, between node ids, '$start' and '$end'",
};

const ajv = new Ajv2020({ allErrors: true, strict: false, ownProperties: true });
const validators = new Map<string, ValidateFunction>();

/** Everything about a definition that is missing or of the wrong form. */
export function checkShape(kind: Definition['kind'], fields: object, entry?: string): FileProblem[] {
  const validate = validators.get(kind) ?? ajv.compile(schemas[kind]);
  validators.set(kind, validate);
  if (validate(fields)) return [];
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map((issue) => problemOf(kind, issue, entry));
}

function problemOf(kind: string, { instancePath, keyword, params, message }: ErrorObject, entry: string | undefined): FileProblem {
  const { missingProperty, allowedValues } = params as { missingProperty?: string; allowedValues?: readonly unknown[] };
  const path = [...instancePath.split('/').slice(1), ...(missingProperty === undefined ? [] : [missingProperty])];
  const [first = ''] = path;
  const hint = hints[`${kind}.${path.slice(0, 2).join('.')}`] ?? hints[`${kind}.${first}`] ?? hints[first] ?? allowedValues?.map((value) => JSON.stringify(value)).join(', ');
  return {
    severity: 'error',
    ...(entry === undefined ? {} : { entry }),
    field: path.join('.'),
    rule: keyword,
    message: missingProperty === undefined ? (message ?? 'is invalid') : 'is required',
    ...(hint === undefined ? {} : { hint }),
  };
}
