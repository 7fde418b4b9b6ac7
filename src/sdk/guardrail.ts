import { isBuiltInCheckId } from '../checks/index.js';
import type { DeclaredIsolation } from '../protocol/isolation.js';
import { builtInConfigProblems } from './built-in-config.js';
import { refuse } from './definition-error.js';
import { expected, fields, isRecord, type Kind, list, oneOf, optional, record, text, wholeNumber } from './kinds.js';
import { isolationFields, type NeedsSpec, needsSpec } from './needs.js';
import { type InputOf, parseWith, type ResolvedSchema, resolveSchema, type SchemaSource, type StandardSchema } from './schema-source.js';
import type { JsonSchema } from './schema-type.js';
import { parseTrace, type RunTrace } from './trace.js';

/** What the runtime does when a guardrail fires; other names than these need a handler of the runtime's own. */
export type ActionName = 'halt' | 'retry' | 'escalate' | 'log-only' | 'compensate' | (string & Record<never, never>);

/** An action in full. */
export interface GuardrailAction {
  readonly 'on-violation': ActionName;
  /** For `retry`: the answers that may fail, the first one included; 1 to 10. */
  readonly retry?: { readonly maxAttempts: number };
  /** For `escalate`: a reviewer's role, or a queue. */
  readonly escalateTo?: string;
  /** For `compensate`: the tool to call. */
  readonly compensateWith?: string;
}

/** When a guardrail applies; an empty list means all. */
export interface GuardrailScope {
  readonly when?: 'always' | 'ci-only' | 'runtime-only';
  readonly agents?: readonly string[];
  readonly flows?: readonly string[];
  readonly tenants?: readonly string[];
}

/** A check's verdict. One that did not pass fires the guardrail's action, and `reason` says why. */
export interface CheckResult {
  readonly passed: boolean;
  readonly reason?: string;
  /** What the judge answered, where a model judged. */
  readonly judgeResponse?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** What a check gets beside its config and the trace. */
export interface CheckBindings {
  /** Fires when the call is over for its caller; its reason is a CallCancelled. */
  readonly abortSignal: AbortSignal;
}

/** The function behind a check: a verdict, or true and false for short; sync or async. */
export type CheckFunction<Config> = (config: Config, trace: RunTrace, bindings: CheckBindings) => CheckResult | boolean | Promise<CheckResult | boolean>;

interface GuardrailFacts extends DeclaredIsolation {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** `error` when left out. */
  readonly severity?: 'info' | 'warn' | 'error' | 'critical';
  /** Always, for everyone, when left out. */
  readonly scope?: GuardrailScope;
  readonly needsSpec?: NeedsSpec;
  /** For `llm-judge`: what the judging model is routed by. */
  readonly judgeCapabilities?: Readonly<Record<string, unknown>>;
}

/** A guardrail as it is declared; its action is named by `onViolation`, or given in full as `action`. */
export interface GuardrailDeclaration<Config extends SchemaSource> extends GuardrailFacts {
  /** `zero-llm` when left out: the check is run. `llm-judge`: a model judges by `config`, and the check is never called. */
  readonly kind?: 'zero-llm' | 'llm-judge' | 'external' | (string & Record<never, never>);
  /** The function, or the id of a check that the host has. */
  readonly check: CheckFunction<InputOf<Config>> | string;
  /** The id that the check is called by; the guardrail's when left out. */
  readonly checkId?: string;
  readonly onViolation?: ActionName;
  readonly action?: GuardrailAction;
  /** What the check is configured with; `{}` when left out. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** A JSON Schema, or a Standard Schema, which also fills in its defaults; any object when left out. */
  readonly configSchema?: Config;
}

/** A check as a pack exports it. */
export interface Check {
  readonly id: string;
  readonly configSchema?: JsonSchema;
  /** The Standard Schema the config is parsed with, whatever library it is of. */
  readonly configZod?: StandardSchema;
  evaluate(config: unknown, trace: unknown, bindings?: CheckBindings): Promise<CheckResult>;
}

/** A declared guardrail: the data of its index entry, and its check or the id of the host's. */
export interface Guardrail extends GuardrailFacts {
  readonly kind: string;
  readonly action: GuardrailAction;
  readonly check: Check | string;
  readonly config?: Readonly<Record<string, unknown>>;
}

const actionShape = fields({ 'on-violation': text, retry: optional(fields({ maxAttempts: wholeNumber(1, 10) })), escalateTo: optional(text), compensateWith: optional(text) });

/** The kind of an action. */
const action: Kind = (value, place) => [
  ...actionShape(value, place),
  ...(isRecord(value) && value['on-violation'] === 'retry' && value['retry'] === undefined ? [expected('{ maxAttempts }', undefined, `${place}.retry`)] : []),
];

/** The kind of a scope. */
const scope = fields({ when: optional(oneOf('always', 'ci-only', 'runtime-only')), agents: optional(list(text)), flows: optional(list(text)), tenants: optional(list(text)) });

const check: Kind = (value, place) => (typeof value === 'function' || (typeof value === 'string' && value !== '') ? [] : [expected("a function, or the id of one of the host's checks", value, place)]);
const anySchema: Kind = () => [];

const declaration = fields({
  id: text,
  name: optional(text),
  description: optional(text),
  kind: optional(text),
  check,
  checkId: optional(text),
  onViolation: optional(text),
  action: optional(action),
  severity: optional(oneOf('info', 'warn', 'error', 'critical')),
  scope: optional(scope),
  config: optional(record),
  configSchema: anySchema,
  needsSpec: optional(needsSpec),
  judgeCapabilities: optional(record),
  ...isolationFields,
});

/**
 * Declares a guardrail and its check. The check gets its config (typed by `configSchema`), the run's
 * trace with its lists filled in, and a signal. Throws DefinitionError with every problem by its field.
 */
export function guardrail<const Config extends SchemaSource = JsonSchema>(declared: GuardrailDeclaration<Config>): Guardrail {
  const problems = [...declaration(declared, '')];
  if (!isRecord(declared)) refuse('Guardrail', undefined, problems);
  const { check: given, checkId = declared.id, onViolation, action: inFull, configSchema, kind = 'zero-llm', ...facts } = declared;
  const resolved = configSchema === undefined ? undefined : resolveSchema(configSchema, 'configSchema', 'input', problems);
  const meant = inFull ?? (onViolation === undefined ? undefined : actionOf(onViolation));
  if (meant === undefined) problems.push(expected('an action\'s name, such as "halt"', undefined, 'onViolation'));
  if (inFull !== undefined && onViolation !== undefined) problems.push('onViolation and action say the same: give one of them');
  if (kind === 'llm-judge' && declared.judgeCapabilities === undefined) problems.push(expected('an object, since a model judges', undefined, 'judgeCapabilities'));
  if (typeof given === 'string' && isBuiltInCheckId(given)) problems.push(...builtInConfigProblems(given, declared.config ?? {}, 'config'));
  problems.push(...idProblems(given, checkId, declared.checkId), ...configProblems(declared.config ?? {}, resolved?.standard));
  refuse('Guardrail', declared.id, problems);
  return Object.freeze({ ...facts, kind, action: meant ?? actionOf('halt'), check: typeof given === 'string' ? given : checkOf(checkId, given as CheckFunction<unknown>, resolved) });
}

/** The action of a name alone; a retry allows two failed answers. */
function actionOf(name: ActionName): GuardrailAction {
  return name === 'retry' ? { 'on-violation': name, retry: { maxAttempts: 2 } } : { 'on-violation': name };
}

function idProblems(given: unknown, checkId: unknown, declaredId: unknown): string[] {
  if (typeof given === 'string') return declaredId === undefined ? [] : ['checkId is of no use with a check that the host has; its id is what check says'];
  if (typeof checkId !== 'string' || !isBuiltInCheckId(checkId)) return [];
  return [`${declaredId === undefined ? 'id' : 'checkId'} must not be "${String(checkId)}", which is the id of a check that the host has`];
}

/** Only a schema that answers at once can be asked here; the others are asked when the check is called. */
function configProblems(config: unknown, schema: StandardSchema | undefined): string[] {
  const result = schema?.['~standard'].validate(config);
  if (result === undefined || result instanceof Promise || result.issues === undefined) return [];
  return result.issues.map(({ message, path = [] }) => `${['config', ...path.map((step) => String(typeof step === 'object' ? step.key : step))].join('.')}: ${message}`);
}

function checkOf(id: string, judge: CheckFunction<unknown>, schema: ResolvedSchema | undefined): Check {
  return Object.freeze({
    id,
    ...(schema === undefined ? {} : { configSchema: schema.json }),
    ...(schema?.standard === undefined ? {} : { configZod: schema.standard }),
    async evaluate(config: unknown, trace: unknown, bindings: CheckBindings = { abortSignal: new AbortController().signal }) {
      const parsed = await parseWith(schema?.standard, config, `The config of check "${id}"`);
      return toCheckResult(await judge(parsed, parseTrace(trace), bindings));
    },
  });
}

/** A verdict in its wire form, for a check that answered true or false. */
export function toCheckResult(verdict: CheckResult | boolean): CheckResult {
  return typeof verdict === 'boolean' ? { passed: verdict } : verdict;
}

/** A check's config as the check gets it. A JSON Schema is judged by the service alone; throws SchemaMismatch for a Standard Schema. */
export async function parseConfig(definition: Guardrail, value: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { check: own } = definition;
  return typeof own === 'string' ? value : parseWith(own.configZod, value, `The config of check "${own.id}"`);
}
