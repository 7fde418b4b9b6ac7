import { applyDeclared, fillAbsent, type WireFields } from './call-context.js';
import { Cancellation } from './cancellation.js';
import type { ConnectionFacts } from './connection.js';
import type { ContextShape, ToolContext, ToolLog } from './context.js';
import { type Declared, declaredBy } from './declared.js';
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

const everything: Omit<Declared, 'connections'> = { pauses: true, storesFiles: true, readsFiles: true };
const nothing = (): void => {};
const silent: ToolLog = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing, child: () => silent };

/** A context to call a handler with in a unit test. Throws SchemaMismatch when `env` is not what the tool declares. */
export function contextForTest<Shape extends ContextShape = EveryPart>(given: TestContext<Shape> = {}): ToolContext<Shape> {
  // Apart from the rest, which is cloned: a ToolConnection would lose its token.
  const { tool, secrets = {}, files, connections, log = silent, cancellation = new Cancellation(), tenantId = 'tenant-test', runId = 'run-test', env = {}, ...sent } = given;
  const ctx: WireFields = { ...structuredClone(sent), ...(connections === undefined ? {} : { connections }), tenantId, runId };
  const declared = tool === undefined ? { ...everything, connections: Object.keys(connections ?? {}) } : declaredBy(tool);
  const needed = tool?.needsSpec?.env;
  ctx['env'] = needed === undefined ? { ...env } : envValues(needed, env);
  applyDeclared(ctx, declared, { signal: () => cancellation.signal, fetch });
  fillAbsent(ctx);
  const hidden = { secrets, cancellation, log, ...(files === undefined || declared === undefined ? {} : { files: declaredPart(files, declared) }) };
  for (const [name, value] of Object.entries(hidden)) Object.defineProperty(ctx, name, { value, enumerable: false, configurable: true });
  ctx['abortSignal'] = cancellation.signal;
  return ctx as unknown as ToolContext<Shape>;
}

function declaredPart(files: Partial<FileStoring & FileReading>, { storesFiles, readsFiles }: Declared): Partial<FileStoring & FileReading> {
  return {
    ...(storesFiles && files.store ? { store: files.store.bind(files) } : {}),
    ...(readsFiles && files.read ? { read: files.read.bind(files) } : {}),
  };
}
