import { builtInCheckIds } from '../checks/index.js';
import type { DeclaredIsolation } from '../protocol/isolation.js';

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
  /** Absent when the check is one of packhost's own. */
  readonly checkModulePath?: string;
  readonly configSchema?: unknown;
  readonly config?: unknown;
}

/** The id a guardrail's check is called by. */
export function checkIdOf({ id, checkId }: IndexedGuardrail): string {
  return checkId ?? id;
}

const text = { type: 'string', minLength: 1 };
const builtIn = { enum: builtInCheckIds };
const jsonSchema = { type: ['object', 'boolean'] };
const flag = { type: 'boolean' };
/** The names of an environment. */
export const names = { type: 'array', items: { type: 'string', pattern: '^(?!KINDGI_)[A-Za-z_][A-Za-z0-9_]*$' } };

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

/** A tool's entry. */
export const toolSchema = {
  type: 'object',
  required: ['id', 'input', 'output', 'modulePath'],
  properties: { id: text, version: text, input: jsonSchema, output: jsonSchema, modulePath: text, spec: { type: 'object' }, pauses: flag, storesFiles: flag, readsFiles: flag, ...isolation },
};

/** A guardrail's entry. */
export const guardrailSchema = {
  type: 'object',
  required: ['id', 'kind', 'action'],
  properties: { id: text, kind: text, action: { type: 'object' }, checkId: text, checkModulePath: text, configSchema: jsonSchema, ...isolation },
  // One of packhost's own checks needs no module; any other does.
  if: { anyOf: [{ required: ['checkId'], properties: { checkId: builtIn } }, { required: ['id'], properties: { id: builtIn, checkId: false } }] },
  else: { required: ['checkModulePath'] },
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
    tools: { type: 'array', items: toolSchema },
    guardrails: { type: 'array', items: guardrailSchema },
    agents: { type: 'array' },
    flows: { type: 'array' },
    env: { type: 'object', properties: { required: names, optional: names } },
  },
};
