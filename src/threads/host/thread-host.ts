import type { CancelReason } from '../../protocol/errors.js';
import type { Cause } from '../../protocol/messages.js';
import type { FromWorker, MessageBody } from '../link/messages.js';

/*
 * The contract between the scheduler and whatever runs its threads. The scheduler sees handles; it knows no port, no
 * shared memory and no pool. "No thread to be had" is a value here, and never a throw.
 */

/** Starts threads that have the modules of one profile loaded. */
export interface ThreadHost {
  /** Starts a thread. What becomes of it, a failure to start included, the listener is told, never before this returns. */
  start(listener: ThreadListener): ThreadHandle;
}

/** What came back from a call. */
export type ThreadAnswer = Extract<FromWorker, { kind: 'answer' }>;

/** What pack code did to its thread rather than to its call. */
export type ThreadFault = Extract<FromWorker, { kind: 'fault' }>;

/** How a thread came to its end. */
export type ThreadEnd =
  /** There was no thread to be had: the system refused one, or it ended before it had begun to load the pack. */
  | { readonly kind: 'not-started'; readonly reason: string }
  /** `terminate` was called. */
  | { readonly kind: 'terminated' }
  | { readonly kind: 'died'; readonly cause: Cause };

/** Told what happens to a thread, in the order in which it happens. */
export interface ThreadListener {
  /** The pack is loaded: calls may be posted. */
  onReady(): void;
  /** The pack cannot be loaded. The thread is of no use, and must be terminated. */
  onLoadFailed(problems: readonly string[]): void;
  onAnswer(answer: ThreadAnswer): void;
  onFault(fault: ThreadFault): void;
  /** The thread has taken notice of a cancel, so its event loop turns. */
  onCancelSeen(sequence: number): void;
  /** The event loop has turned since `ping`. */
  onPong(): void;
  /** Nothing more comes, and no call begins any more. Told once, to every thread that was started. */
  onEnded(end: ThreadEnd): void;
  /** The thread no longer exists. Native code that does not return delays it, possibly forever. Told once, after `onEnded`. */
  onGone(): void;
}

/** A call as a thread gets it. Sequences count up from 0 in each thread, as 32-bit integers that wrap around. */
export interface ThreadCall {
  readonly sequence: number;
  readonly body: MessageBody;
  readonly traceId: string;
  readonly spanId: string;
}

/** One thread. After its end every method is harmless. */
export interface ThreadHandle {
  /** Posts a call, which begins when those before it are over. */
  post(call: ThreadCall): void;
  /** Takes back every call that has not begun; returns the sequence of the first of them, or the next one to be posted when there are none. */
  takeBack(): number;
  /** Fires the signal of a call. */
  cancel(sequence: number, reason: CancelReason): void;
  /** Has `onPong` called as soon as the event loop turns. */
  ping(): void;
  /** Ends the thread and the processes that it started, whatever it does; `onEnded` follows. */
  terminate(): void;
  /** How many of the posted calls have not begun. */
  readonly unbegun: number;
  /** How many calls have begun and are not over: fewer than there are answers to come, since an answer takes its way. */
  readonly running: number;
  /** How long a call has taken of late, in milliseconds; Infinity until the first is over. */
  readonly averageMs: number;
  /** The module that it loads, or loaded last, with the tools and checks that need it; undefined before the first. */
  readonly loading: string | undefined;
  /** The CPU time that the thread has used, in milliseconds; undefined where the system does not say. */
  cpuMs(): number | undefined;
  /** The bytes it holds, heap and buffers together, after a collection of garbage if asked for; undefined when it cannot be known. */
  heldBytes(afterCollection: boolean): Promise<number | undefined>;
}
