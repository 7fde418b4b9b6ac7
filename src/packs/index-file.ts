import type { DeclaredIsolation } from '../isolation/profile.js';

/** A pack's index as packhost reads it; fields that a newer indexer wrote are tolerated and ignored. */
export interface IndexFile {
  readonly v: 1;
  readonly packId: string;
  readonly packVersion: string;
  readonly artifactVersion: string;
  readonly publishedAt: string;
  readonly tools: readonly IndexedTool[];
  readonly guardrails: readonly IndexedGuardrail[];
  readonly env?: { readonly required?: readonly string[]; readonly optional?: readonly string[] };
}

/** One version of one tool. */
export interface IndexedTool extends DeclaredIsolation {
  readonly id: string;
  readonly version?: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly modulePath: string;
  readonly needsSpec?: unknown;
  readonly pauses?: boolean;
  readonly storesFiles?: boolean;
  readonly readsFiles?: boolean;
  /** What a declarative tool is made of. */
  readonly spec?: { readonly kind?: unknown };
}

/** Whether a tool is one HTTP request, which packhost makes itself: no code of the pack runs. */
export function isHttpTool({ spec }: IndexedTool): boolean {
  return spec?.kind === 'http';
}

/** One guardrail and the module of its check. */
export interface IndexedGuardrail extends DeclaredIsolation {
  readonly id: string;
  /** The id its check is called by; the guardrail's own when absent. */
  readonly checkId?: string;
  readonly checkModulePath: string;
  readonly configSchema?: unknown;
}

const text = { type: 'string', minLength: 1 };
const jsonSchema = { type: ['object', 'boolean'] };
const flag = { type: 'boolean' };
const names = { type: 'array', items: { type: 'string', pattern: '^(?!KINDGI_)[A-Za-z_][A-Za-z0-9_]*$' } };

const isolation = {
  sandbox: { enum: ['none', 'context-isolated', 'strict'] },
  limits: { type: 'object', properties: { memMB: { type: 'integer', minimum: 1 }, cpuMs: { type: 'integer', minimum: 1 } } },
  network: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: ['none', 'allowlist', 'unrestricted'] }, hosts: { type: 'array', items: text } },
    if: { properties: { kind: { const: 'allowlist' } } },
    then: { required: ['hosts'] },
  },
};

/** The index's shape as JSON Schema: strict on what packhost needs, open to everything else. */
export const indexSchema = {
  type: 'object',
  required: ['packId', 'packVersion', 'artifactVersion', 'publishedAt', 'tools', 'guardrails', 'agents', 'flows'],
  properties: {
    packId: text,
    packVersion: text,
    artifactVersion: text,
    publishedAt: text,
    tools: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'input', 'output', 'modulePath'],
        properties: { id: text, version: text, input: jsonSchema, output: jsonSchema, modulePath: text, spec: { type: 'object' }, pauses: flag, storesFiles: flag, readsFiles: flag, ...isolation },
      },
    },
    guardrails: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'kind', 'action', 'checkModulePath'],
        properties: { id: text, kind: text, action: { type: 'object' }, checkId: text, checkModulePath: text, configSchema: jsonSchema, ...isolation },
      },
    },
    agents: { type: 'array' },
    flows: { type: 'array' },
    env: { type: 'object', properties: { required: names, optional: names } },
  },
};
