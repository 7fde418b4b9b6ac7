import type { MessagePort } from 'node:worker_threads';
import type { CallTags } from '../../protocol/call-tags.js';
import type { CallOutcome, CancelReason } from '../../protocol/errors.js';
import type { LogFormat, LogLevel } from '../../logging/log-levels.js';
import type { Cause } from '../../protocol/messages.js';
import type { NetworkPolicy } from '../../protocol/isolation.js';
import type { ThreadPack } from './thread-pack.js';

/*
 * What the main thread and a worker thread say to each other. All of it is plain data: an Error
 * posted between threads would lose its class, and a value that cannot be cloned would kill the thread.
 */

/**
 * A message as it came: a string while small, which is cheaper; else bytes in memory that both threads see. Nothing
 * of it moves, so that a call which one thread has not begun can run on another.
 */
export type MessageBody = string | Uint8Array;

/** An answer to send: a string while small, else bytes whose memory moves to the main thread. */
export type AnswerBody = string | Uint8Array;

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

/** How a worker writes what its pack code logs and prints. */
export interface ThreadLog {
  /** For `ctx.log`. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Where what pack code prints goes: stdout, unless a command's own answer goes there. */
  readonly prints?: 'stdout' | 'stderr';
  /** How many bytes may wait for a reader that does not take them. */
  readonly bufferBytes: number;
}

/** What a worker gets when its session starts. */
export interface SessionTask {
  readonly port: MessagePort;
  readonly pack: ThreadPack;
  readonly rules: ThreadRules;
  readonly log: ThreadLog;
  /** Two Int32: the modules it has begun to import and the processes it has started; in shared memory, since a busy thread cannot say. */
  readonly progress: SharedArrayBuffer;
  /** Memory of its `CallLedger`. */
  readonly ledger: SharedArrayBuffer;
  /** To the thread that strips types, where Node does not and there are some. */
  readonly stripper: MessagePort | undefined;
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
  | { readonly kind: 'cancel'; readonly sequence: number; readonly reason: CancelReason }
  /** Asks for a `pong`: is the event loop still turning? */
  | { readonly kind: 'ping' };

/** How pack code failed outside of what it was called for. */
export type FaultKind = 'exception' | 'rejection' | 'exit';

/** Worker to main thread. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly threadId: number; readonly nativeThreadId: number | undefined }
  | { readonly kind: 'load-failed'; readonly problems: readonly string[] }
  | { readonly kind: 'answer'; readonly sequence: number; readonly outcome: CallOutcome; readonly body: AnswerBody; readonly leftBehind?: string }
  /** The thread got the cancel message, so its event loop turns. */
  | { readonly kind: 'cancel-seen'; readonly sequence: number }
  | { readonly kind: 'pong' }
  /** Nobody can vouch for the thread any more; it takes no further call. `tags` are those of the call that left the fault behind. */
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly afterAnswer: boolean; readonly tags: CallTags | undefined; readonly cause: Cause };
