import type { Cancellation } from './cancellation.js';
import type { ConnectionFacts } from './connection.js';
import type { ContextShape, ToolContext, ToolLog } from './context.js';
import { contextFromWire } from './context-from-wire.js';
import type { Declaring } from './declared.js';
import { envValues } from './env-values.js';
import type { FileReading, FileStoring } from './files.js';
import type { WaitToken } from './pause.js';
import type { Tool } from './tool.js';

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
