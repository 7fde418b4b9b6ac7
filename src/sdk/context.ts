import type { Cancellation } from './cancellation.js';
import type { ToolConnection } from './connection.js';
import type { FileReading, FileStoring } from './files.js';
import type { NeedsSpec } from './needs.js';
import type { PauseAnswer, PauseOptions, WaitToken } from './pause.js';
import type { FromSchema } from './schema-type.js';

/** Writes one record: a message, or fields and a message. */
export interface LogMethod {
  (message: string, ...values: unknown[]): void;
  (fields: object, message?: string, ...values: unknown[]): void;
}

/** A logger bound to its call, in pino's call shapes; every record carries the call's ids. */
export interface ToolLog {
  readonly trace: LogMethod;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  /** A logger whose every record has these fields too. */
  child(fields: object): ToolLog;
}

/** What a tool declares, for the type of its context. */
export interface ContextShape {
  readonly needsSpec?: NeedsSpec;
  readonly pauses?: boolean;
  readonly storesFiles?: boolean;
  readonly readsFiles?: boolean;
}

/** Who a call is for, what was resolved for it, and how it learns that it is over. */
export interface CallContext {
  readonly tenantId: string;
  readonly runId: string;
  /** The call itself, such as the model's id for it. */
  readonly requestId?: string;
  readonly projectId?: string;
  readonly orgId?: string;
  /** Settings blocks by their id. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The same for every run of one call: what a system that is called twice tells a repetition by. */
  readonly idempotencyKey?: string;
  /** Fires when the call is over for its caller; its reason is a CallCancelled. */
  readonly abortSignal: AbortSignal;
  /** The same to ask, to throw by, or to wait on. */
  readonly cancellation: Cancellation;
  readonly log: ToolLog;
}

type Open = Readonly<Record<string, unknown>>;

/** The values of one section of `needsSpec`, each of the type of its schema. */
type Resolved<Shape extends ContextShape, Section extends 'env' | 'secrets' | 'config'> = Shape extends { readonly needsSpec: { readonly [S in Section]: infer Needs extends Open } }
  ? { readonly [Name in keyof Needs]: FromSchema<Needs[Name], 'input'> } & Open
  : Open;

/** A context's `files`, with the methods that its tool declares. */
type Files<Shape extends ContextShape> = (Shape extends { readonly storesFiles: true } ? FileStoring : unknown) & (Shape extends { readonly readsFiles: true } ? FileReading : unknown);

/**
 * What a handler gets besides its input. What its tool does not declare (connections, files, a wait
 * token) it does not have. `secrets`, `log`, `files` and the wait token are not enumerable: printing or
 * spreading a context shows none of them.
 */
export type ToolContext<Shape extends ContextShape = ContextShape> = CallContext & {
  /** Environment values, as `needsSpec.env` declares them. */
  readonly env: Resolved<Shape, 'env'>;
  /** Secrets by name, as `needsSpec.secrets` declares them. */
  readonly secrets: Resolved<Shape, 'secrets'>;
  /** Configuration, as `needsSpec.config` declares it. */
  readonly config: Resolved<Shape, 'config'>;
} & (Shape extends { readonly needsSpec: { readonly connections: infer Needs extends Open } }
    ? {
        /** By the name in `needsSpec.connections`; absent when the runtime had none to give. */
        readonly connections: { readonly [Name in keyof Needs]?: ToolConnection };
      }
    : unknown) &
  (true extends (Shape extends { readonly storesFiles: true } | { readonly readsFiles: true } ? true : false)
    ? {
        /** The call's files. */
        readonly files: Files<Shape>;
      }
    : unknown) &
  (Shape extends { readonly pauses: true } ? PausingContext : unknown);

/** What the context of a tool with `pauses: true` has besides. Both throw PauseNotAvailable when the runtime cannot pause. */
export interface PausingContext {
  /** Hand its `url` to the system that will answer, then return `ctx.pause()`; what that system posts becomes the call's result. Read it before handing anything on. */
  readonly waitToken: WaitToken;
  /** The answer that makes the run wait. */
  pause(options?: PauseOptions): PauseAnswer;
}
