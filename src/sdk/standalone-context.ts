import { applyDeclared, declaredBy, type Declaring, fillAbsent, type WireFields } from './call-context.js';
import { Cancellation } from './cancellation.js';
import type { ConnectionFacts } from './connection.js';
import type { ContextShape, ToolContext, ToolLog } from './context.js';
import type { FileReading, FileStoring } from './files.js';
import { isRecord } from './kinds.js';
import type { NeededValues } from './needs.js';
import type { WaitToken } from './pause.js';
import { SchemaMismatch } from './schema-source.js';
import type { Tool } from './tool.js';

/** What a context is made with besides what came over the wire. */
export interface ContextParts {
  /** The tool, or its index entry: it decides what the context has. */
  readonly tool: Declaring;
  /** One that never fires when left out. */
  readonly cancellation?: Cancellation;
  /** Writes nothing when left out. */
  readonly log?: ToolLog;
  /** What reaches the runtime's files; the global one when left out. */
  readonly fetch?: typeof fetch;
}

const nothing = (): void => {};
const silent: ToolLog = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing, child: () => silent };

/** The context for a `ctx` of protocol 2, as a host gives it to a handler. `sent` stays as it is. */
export function contextFromWire<Shape extends ContextShape = ContextShape>(sent: Readonly<Record<string, unknown>>, parts: ContextParts): ToolContext<Shape> {
  const { tool, cancellation = new Cancellation(), log = silent, fetch = globalThis.fetch } = parts;
  const { secrets = {}, ...others } = sent;
  const ctx: WireFields = { ...others };
  applyDeclared(ctx, declaredBy(tool), { signal: () => cancellation.signal, fetch });
  fillAbsent(ctx);
  for (const [name, value] of Object.entries({ secrets, cancellation, log })) Object.defineProperty(ctx, name, { value, enumerable: false, configurable: true });
  ctx['abortSignal'] = cancellation.signal;
  return ctx as unknown as ToolContext<Shape>;
}

/** A context that has everything a tool may declare: that of a test that names no tool. */
export interface EveryPart extends ContextShape {
  readonly needsSpec: { readonly connections: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  readonly pauses: true;
  readonly storesFiles: true;
  readonly readsFiles: true;
}

type Values = Readonly<Record<string, unknown>>;

/** What a test gives a handler. */
export interface TestContext<Shape extends ContextShape> {
  /** The tool under test: its context then has what it declares, typed, and its environment as the runtime fills it in. */
  readonly tool?: Tool<never, unknown, Shape>;
  /** `tenant-test` when left out. */
  readonly tenantId?: string;
  /** `run-test` when left out. */
  readonly runId?: string;
  readonly requestId?: string;
  readonly projectId?: string;
  readonly orgId?: string;
  readonly env?: Values;
  /** As they are: the runtime resolves them. */
  readonly secrets?: Values;
  readonly config?: Values;
  readonly settings?: Readonly<Record<string, Values>>;
  readonly idempotencyKey?: string;
  readonly connections?: Readonly<Record<string, ConnectionFacts & { readonly accessToken: string }>>;
  /** What stands in for the runtime's files. */
  readonly files?: Partial<FileStoring & FileReading>;
  /** To test a tool that pauses; without it, the context says PauseNotAvailable. */
  readonly waitToken?: WaitToken;
  /** To end the call from the test: `cancellation.cancel('cancelled')`. */
  readonly cancellation?: Cancellation;
  /** Writes nothing when left out. */
  readonly log?: ToolLog;
}

/** A context to call a handler with in a unit test. Throws SchemaMismatch when `env` is not what the tool declares. */
export function contextForTest<Shape extends ContextShape = EveryPart>(given: TestContext<Shape> = {}): ToolContext<Shape> {
  // Connections apart from the rest, which is cloned: a ToolConnection would lose its token.
  const { tool, files, connections, cancellation, log, tenantId = 'tenant-test', runId = 'run-test', env = {}, ...sent } = given;
  const declaring: Declaring = tool ?? { needsSpec: { connections: connections ?? {} }, pauses: true, storesFiles: true, readsFiles: true };
  const needed = tool?.needsSpec?.env;
  const wire = { ...structuredClone(sent), tenantId, runId, env: needed === undefined ? { ...env } : envValues(needed, env), ...(connections === undefined ? {} : { connections }) };
  const ctx = contextFromWire<Shape>(wire, { tool: declaring, ...(cancellation === undefined ? {} : { cancellation }), ...(log === undefined ? {} : { log }) });
  if (files !== undefined && 'files' in ctx) Object.defineProperty(ctx, 'files', { value: declaredPart(files, declaring), enumerable: false });
  return ctx;
}

function declaredPart(files: Partial<FileStoring & FileReading>, { storesFiles, readsFiles }: Declaring): Partial<FileStoring & FileReading> {
  return {
    ...(storesFiles && files.store ? { store: files.store.bind(files) } : {}),
    ...(readsFiles && files.read ? { read: files.read.bind(files) } : {}),
  };
}

/**
 * Fills in the environment values that a tool declares, as the runtime does: what is offered, else the
 * schema's default. Names that it does not declare are dropped. Throws SchemaMismatch for a value that is
 * missing or breaks its schema, as far as a schema speaks of text: `enum`, `const`, lengths and `pattern`.
 */
function envValues(declared: NeededValues, offered: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
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
