import type { MessagePort } from 'node:worker_threads';
import type { BuiltInCheckId } from './built-in-checks.js';
import type { CallIds } from './envelope.js';
import type { CallOutcome, CancelReason } from './errors.js';
import type { LogFormat, LogLevel } from './log-levels.js';
import type { Cause, ErrorMessage } from './messages.js';

/*
 * What the main thread and a worker thread say to each other. All of it is plain data: an Error
 * posted between threads would lose its class, and a value that cannot be cloned would kill the thread.
 */

/** A message as it came: a string while small, else its pieces, whose memory moves to the thread. */
export type MessageBody = string | readonly Uint8Array[];

/** An answer to send: a string while small, else bytes whose memory moves to the main thread. */
export type AnswerBody = string | Uint8Array;

/** One tool of the index, as a worker needs it. */
export interface ToolEntry {
  readonly id: string;
  readonly version: string | undefined;
  readonly modulePath: string;
  /** The places of its schemas' code among the pack's. */
  readonly inputValidator: number;
  readonly outputValidator: number;
  readonly needsSpec: unknown;
  readonly pauses: boolean | undefined;
  readonly storesFiles: boolean | undefined;
  readonly readsFiles: boolean | undefined;
  /** The request that the tool is, when it is no code; its module is then not loaded. */
  readonly http: unknown;
}

/** One check of the index, as a worker needs it; `id` is what it is called by. */
export type CheckEntry = PackCheckEntry | BuiltInCheckEntry | CombinedCheckEntry;

/** A check that a module of the pack exports. */
export interface PackCheckEntry {
  readonly kind: 'pack';
  readonly id: string;
  readonly guardrailId: string;
  readonly modulePath: string;
  /** The place of its config schema's code among the pack's, if it has one. */
  readonly configValidator: number | undefined;
}

/** One of packhost's own checks, by its id or by that of a guardrail that names it. */
export interface BuiltInCheckEntry {
  readonly kind: 'built-in';
  readonly id: string;
  readonly checkId: BuiltInCheckId;
  readonly guardrailId: string;
  /** Where the guardrail is declared, if the index says so; a check of the pack's own there is refused. */
  readonly modulePath: string | undefined;
  /** The place of its config schema's code among the pack's. */
  readonly configValidator: number;
}

/** Stands for several checks on one trace, to be run in one call. A build asks for it; a service has none. */
export interface CombinedCheckEntry {
  readonly kind: 'combined';
  readonly id: string;
}

/** The config of a combined check. */
export interface CombinedConfig {
  readonly calls: readonly { readonly checkId: string; readonly config: Readonly<Record<string, unknown>> }[];
}

/** The result of a combined check: the message that each would have been answered with by itself, in their order. */
export interface CombinedResult {
  readonly passed: true;
  readonly answers: readonly CheckAnswer[];
}

/** What a check is answered with. */
export type CheckAnswer = { readonly kind: 'check-result'; readonly result: unknown } | ErrorMessage;

/** One module to import: its path in the index, and the URL to import it from. */
export interface ModuleEntry {
  readonly modulePath: string;
  readonly url: string;
}

/** Which hosts code may reach: `api.example.com`, `*.example.com`, either with an optional `:port`. */
export type NetworkPolicy = { readonly kind: 'unrestricted' } | { readonly kind: 'none' } | { readonly kind: 'allowlist'; readonly hosts: readonly string[] };

/** What a worker loads before it takes calls: the entries of one profile. */
export interface ThreadPack {
  readonly modules: readonly ModuleEntry[];
  readonly tools: readonly ToolEntry[];
  readonly checks: readonly CheckEntry[];
  /** Every tool of the whole pack: whether a version must be named does not depend on the profile. */
  readonly catalog: readonly ToolName[];
}

/** One version of a tool by name. */
export interface ToolName {
  readonly id: string;
  readonly version: string | undefined;
}

/** What a worker enforces itself. */
export interface ThreadRules {
  /** Between calls, look for what one of them left behind. */
  readonly checksCleanliness: boolean;
  /** Heap and buffers together, in MiB; the main thread watches as well. */
  readonly memMB: number | undefined;
  readonly network: NetworkPolicy;
  /** How many calls run at once. */
  readonly callsAtOnce: number;
  /** Set in the environment of every process the thread starts, so that they can be found at its end. */
  readonly childMark: string;
}

/** What a worker gets when its session starts. */
export interface SessionTask {
  readonly port: MessagePort;
  readonly pack: ThreadPack;
  readonly rules: ThreadRules;
  /** For `ctx.log`; and where what pack code prints goes, stdout unless a command's own answer goes there. */
  readonly log: { readonly level: LogLevel; readonly format: LogFormat; readonly prints?: 'stdout' | 'stderr' };
  /** Two Int32: the modules it has begun to import and the processes it has started; in shared memory, since a busy thread cannot say. */
  readonly progress: SharedArrayBuffer;
  /** Memory of its `CallLedger`. */
  readonly ledger: SharedArrayBuffer;
  /** To the thread that strips types, where Node does not and there are some. */
  readonly stripper: MessagePort | undefined;
}

/** Where a call stands in its caller's trace. */
export interface Trace {
  /** 32 hexadecimal digits: the caller's trace, or one of the call's own. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the call's own span. */
  readonly spanId: string;
}

/** What ties a line of log or a late fault to its call. */
export interface CallTags extends CallIds, Trace {
  readonly toolId?: string | undefined;
  readonly checkId?: string | undefined;
}

/** A schema that is served although part of it is not understood. */
export interface SchemaWarning {
  readonly tool?: string;
  readonly check?: string;
  readonly schema: 'input' | 'output' | 'configSchema';
  readonly message: string;
}

/** What comes to a worker first: the code of the pack's compiled schemas, by the places that its entries name. */
export interface ValidatorCodes {
  readonly kind: 'validators';
  readonly codes: readonly string[];
}

/** A call as it is posted. Flat, since every object within costs some microseconds on either side. */
export interface PostedCall {
  /** Counts the calls posted to the thread. */
  readonly sequence: number;
  readonly body: MessageBody;
  readonly traceId: string;
  readonly spanId: string;
}

/** Main thread to worker, once it is ready. */
export type ToWorker =
  /** Calls to begin one after the other, each when it is its turn, if it can be claimed by then. */
  | { readonly kind: 'calls'; readonly calls: readonly PostedCall[] }
  | { readonly kind: 'cancel'; readonly sequence: number; readonly reason: CancelReason };

/** How pack code failed outside of what it was called for. */
export type FaultKind = 'exception' | 'rejection' | 'exit';

/** Worker to main thread. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly threadId: number; readonly nativeThreadId: number | undefined }
  | { readonly kind: 'load-failed'; readonly problems: readonly string[] }
  | { readonly kind: 'answer'; readonly sequence: number; readonly outcome: CallOutcome; readonly body: AnswerBody; readonly leftBehind?: string }
  /** The thread got the cancel message, so its event loop turns. */
  | { readonly kind: 'cancel-seen'; readonly sequence: number }
  /** Nobody can vouch for the thread any more; it takes no further call. `tags` are those of the call that left the fault behind. */
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly afterAnswer: boolean; readonly tags: CallTags | undefined; readonly cause: Cause };
