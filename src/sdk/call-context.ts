import { ToolConnection } from './connection.js';
import { FileStore } from './files.js';
import { isRecord } from './kinds.js';
import { pause, PauseNotAvailable, type PauseOptions, type WaitToken } from './pause.js';

/** What a tool declares that decides which parts its calls' context has. */
export interface Declared {
  /** The names under `needsSpec.connections`. */
  readonly connections: readonly string[];
  readonly pauses: boolean;
  readonly storesFiles: boolean;
  readonly readsFiles: boolean;
}

/** The fields of a tool, or of its index entry, that say so. */
export interface Declaring {
  readonly needsSpec?: unknown;
  readonly pauses?: boolean | undefined;
  readonly storesFiles?: boolean | undefined;
  readonly readsFiles?: boolean | undefined;
}

/** What a tool declares; undefined when it is nothing, as with most. */
export function declaredBy({ needsSpec, pauses = false, storesFiles = false, readsFiles = false }: Declaring): Declared | undefined {
  const needed = isRecord(needsSpec) ? needsSpec['connections'] : undefined;
  const connections = isRecord(needed) ? Object.keys(needed) : [];
  return connections.length > 0 || pauses || storesFiles || readsFiles ? { connections, pauses, storesFiles, readsFiles } : undefined;
}

/** A context as it comes over the wire, on its way to a handler. */
export type WireFields = { [field: string]: unknown };

/** What the files of a call are reached with. */
export interface CallReach {
  readonly signal: () => AbortSignal;
  readonly fetch: typeof fetch;
}

/**
 * Takes what a tool did not declare out of its call's context, and makes of what it did declare what a
 * handler uses: connections, files, the wait token and `pause`. Tokens and links are not enumerable.
 */
export function applyDeclared(ctx: WireFields, declared: Declared | undefined, reach: CallReach | undefined): void {
  const { connections, waitToken, toolFiles } = ctx;
  if (connections !== undefined) delete ctx['connections'];
  if (waitToken !== undefined) delete ctx['waitToken'];
  if (toolFiles !== undefined) delete ctx['toolFiles'];
  if (declared === undefined || reach === undefined) return;
  if (declared.connections.length > 0) ctx['connections'] = connectionsOf(connections, declared.connections);
  if (declared.storesFiles || declared.readsFiles) hide(ctx, 'files', { value: filesOf(ctx, toolFiles, declared, reach) });
  if (declared.pauses) addPause(ctx, waitToken);
}

/** Parts that a caller may leave out, and that a handler of the SDK's need not look for first. */
export function fillAbsent(ctx: WireFields): void {
  for (const name of ['env', 'config', 'settings']) if (ctx[name] === undefined) hide(ctx, name, { value: {} });
}

function connectionsOf(sent: unknown, names: readonly string[]): Readonly<Record<string, ToolConnection>> {
  const found: Record<string, ToolConnection> = {};
  for (const name of names) {
    const connection = isRecord(sent) && Object.hasOwn(sent, name) ? ToolConnection.fromWire(sent[name]) : undefined;
    if (connection !== undefined) found[name] = connection;
  }
  return Object.freeze(found);
}

function filesOf(ctx: WireFields, sent: unknown, { storesFiles, readsFiles }: Declared, reach: CallReach): FileStore {
  const given = isRecord(sent) && typeof sent['url'] === 'string' && typeof sent['token'] === 'string' ? { url: sent['url'], token: sent['token'] } : undefined;
  const absent = given === undefined ? 'This call has no files: the runtime that made it sent no address for them.' : undefined;
  const unkeyed = typeof ctx['idempotencyKey'] === 'string' ? undefined : 'This call cannot store files: it has no idempotency key.';
  return new FileStore({
    ...(given ?? { url: '', token: '' }),
    storeRefused: storesFiles ? (absent ?? unkeyed) : 'The tool does not declare storesFiles.',
    readRefused: readsFiles ? absent : 'The tool does not declare readsFiles.',
    get signal() {
      return reach.signal();
    },
    fetch: reach.fetch,
  });
}

function addPause(ctx: WireFields, sent: unknown): void {
  const token: WaitToken | undefined = isRecord(sent) && typeof sent['id'] === 'string' && typeof sent['url'] === 'string' ? { id: sent['id'], url: sent['url'] } : undefined;
  const needed = (): WaitToken => {
    if (token === undefined) throw new PauseNotAvailable();
    return token;
  };
  hide(ctx, 'waitToken', { get: needed });
  hide(ctx, 'pause', {
    value: (options?: PauseOptions) => {
      needed();
      return pause(options);
    },
  });
}

function hide(ctx: WireFields, name: string, property: PropertyDescriptor): void {
  Object.defineProperty(ctx, name, { ...property, enumerable: false, configurable: true });
}
