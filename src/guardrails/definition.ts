import { builtInCheck, type BuiltInCheckId, isBuiltInCheckId } from '../checks/index.js';
import type { Issue } from '../protocol/messages.js';
import type { CheckDefinition, Guardrail, GuardrailDefinition } from './guardrail.js';
import { judgeConfigSchema } from './judge.js';
import { guardrailSchema } from './schema.js';
import { validatorOf } from './validation.js';

/** A guardrail that cannot be used, with every issue and its place as a JSON Pointer into it. */
export class InvalidGuardrail extends Error {
  override readonly name = 'InvalidGuardrail';
  readonly issues: readonly Issue[];

  constructor(id: unknown, issues: readonly Issue[]) {
    const named = typeof id === 'string' && id !== '' ? ` "${id}"` : '';
    super(`The guardrail${named} is invalid:\n${issues.map(({ instancePath, message }) => `- ${instancePath || '/'} ${message}`).join('\n')}`);
    this.issues = issues;
  }
}

/** How strictly a definition is read. */
export interface DefinitionOptions {
  /** Lets `codeArtifactRef` name a file of this machine; off by default. */
  readonly development?: boolean;
}

/** A guardrail as data, and the check it brought along. */
export interface DefinedGuardrail {
  readonly guardrail: Guardrail;
  readonly ownCheck: CheckDefinition | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const defined = new WeakMap<object, DefinedGuardrail>();

/**
 * Checks a guardrail against schema 1.1.0 and its config against the check's, and answers it frozen:
 * the evaluator then need not check it again. `check` may be an id, a function or an object with
 * `evaluate`. Throws InvalidGuardrail with everything that is wrong.
 */
export function defineGuardrail(definition: GuardrailDefinition, options: DefinitionOptions = {}): Guardrail {
  return defineOrFind(definition, options).guardrail;
}

/** The guardrail that `defineGuardrail` made, or makes of a definition now. */
export function defineOrFind(definition: GuardrailDefinition, options: DefinitionOptions): DefinedGuardrail {
  const known = isObject(definition) ? defined.get(definition) : undefined;
  if (known) return known;
  const { data, ownCheck } = takeApart(definition);
  const issues = [...validatorOf(guardrailSchema)(data), ...(isObject(data) ? issuesWithin(data, ownCheck, options) : [])];
  if (issues.length > 0) throw new InvalidGuardrail(isObject(data) ? data['id'] : undefined, issues);
  const guardrail = freeze(structuredClone(data)) as Guardrail;
  const result = { guardrail, ownCheck };
  defined.set(guardrail, result);
  return result;
}

/** A guardrail as a pack's index has it; what an index says beyond a guardrail's schema is left out. */
export interface GuardrailIndexEntry {
  readonly id: string;
  /** The id of its check; its own id when absent. */
  readonly checkId?: string;
}

const indexed = Object.keys(guardrailSchema.properties);

/** The guardrail of an index entry; throws InvalidGuardrail with everything that is wrong. */
export function guardrailFromIndex(entry: GuardrailIndexEntry, options: DefinitionOptions = {}): Guardrail {
  const known = Object.entries(entry).filter(([name]) => indexed.includes(name));
  return defineGuardrail({ ...(Object.fromEntries(known) as unknown as Guardrail), check: entry.checkId ?? entry.id }, options);
}

/** Parts a definition into what is data and the check it holds. */
function takeApart(definition: unknown): { readonly data: unknown; readonly ownCheck: CheckDefinition | undefined } {
  if (!isObject(definition)) return { data: definition, ownCheck: undefined };
  const { check, configSchema, ...rest } = definition;
  const held = typeof check === 'function' ? { evaluate: check } : check;
  if (!isObject(held) || typeof held['evaluate'] !== 'function') return { data: definition, ownCheck: undefined };
  const schema = held['configSchema'] ?? configSchema;
  const evaluate = (held['evaluate'] as CheckDefinition['evaluate']).bind(held);
  return { data: { ...rest, check: held['id'] ?? rest['id'] }, ownCheck: { evaluate, ...(schema === undefined ? {} : { configSchema: schema }) } };
}

/** What the schema cannot say, of a guardrail that it may have refused. */
function issuesWithin({ kind, check, config = {}, codeArtifactRef }: Fields, ownCheck: CheckDefinition | undefined, { development = false }: DefinitionOptions): Issue[] {
  const issues = isObject(config) ? configIssues(kind, check, config, ownCheck).map((issue) => ({ ...issue, instancePath: `/config${issue.instancePath}` })) : [];
  if (ownCheck && isReserved(check)) issues.push({ instancePath: '/check/id', message: `must not be "${check}", which is a check of packhost's own` });
  if (!development && isObject(codeArtifactRef) && codeArtifactRef['kind'] === 'filesystem') {
    issues.push({ instancePath: '/codeArtifactRef/kind', message: 'must not be filesystem outside of development' });
  }
  return issues;
}

/** What is wrong with a config, as far as its check is known here. */
function configIssues(kind: unknown, check: unknown, config: Fields, ownCheck: CheckDefinition | undefined): readonly Issue[] {
  if (kind === 'llm-judge') return validatorOf(judgeConfigSchema)(config);
  if (kind !== 'zero-llm') return [];
  if (ownCheck) return ownCheck.configSchema === undefined ? [] : validate(ownCheck.configSchema, config);
  if (!isReserved(check)) return [];
  const builtIn = builtInCheck(check);
  return [...validatorOf(builtIn.configSchema)(config), ...(builtIn.issues?.(config) ?? [])];
}

/** A schema that does not compile is an issue of its guardrail, as one that the config breaks. */
function validate(configSchema: unknown, config: Fields): readonly Issue[] {
  try {
    return validatorOf(configSchema as object)(config);
  } catch (error) {
    return [{ instancePath: '', message: `cannot be judged: its schema does not compile: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

function isReserved(check: unknown): check is BuiltInCheckId {
  return typeof check === 'string' && isBuiltInCheckId(check);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
