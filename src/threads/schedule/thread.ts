import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { sequenceAfter } from '../link/call-ledger.js';
import type { CancelReason } from '../../protocol/errors.js';
import type { FromWorker, PostedCall, ToWorker } from '../link/messages.js';
import type { PooledCall } from './call.js';
import type { Session } from '../host/worker-host.js';

/** What starting a thread came to: it serves, it could not load the pack, or it ended before it could say so. */
export type ThreadStart =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly problems: readonly string[] }
  | { readonly kind: 'ended'; readonly message: string };

/** What tells a thread from others: Node's number for it, and where there is one the kernel's. */
export interface ThreadIdentity {
  readonly threadId: number;
  readonly nativeThreadId: number | undefined;
}

/** Where a thread stands: it loads, serves, is spent (takes no further call), and has ended. */
export type ThreadState = 'loading' | 'serving' | 'spent' | 'ended';

/** What a thread tells the dispatcher. */
export interface ThreadEvents {
  onAnswer(thread: Thread, call: PooledCall, answer: Extract<FromWorker, { kind: 'answer' }>): void;
  onFault(thread: Thread, fault: Extract<FromWorker, { kind: 'fault' }>): void;
  /** The thread is over; `error` when it died by itself. Its calls are still in `thread.calls`. */
  onEnded(thread: Thread, error: unknown): void;
}

/** A thread that has not begun its session after so long has died, or never will. */
const longestStartMs = 1_500;
const startPollMs = 10;

/** One worker thread and the calls it has. */
export class Thread {
  /** In the order in which they were posted; a call stays until its handler has settled, or it is taken back. */
  readonly calls: PooledCall[] = [];
  readonly started: Promise<ThreadStart>;
  /** Resolves when the thread no longer exists. */
  readonly gone: Promise<void>;
  /** How many calls it was given. */
  served = 0;
  /** When it was last given a call while it had none, or answered one, in `performance.now()` milliseconds. */
  movedAt = performance.now();
  state: ThreadState = 'loading';
  /** Known once it serves. */
  identity: ThreadIdentity | undefined;
  readonly #createdAt = performance.now();
  readonly #session: Session;
  readonly #port: MessagePort;
  readonly #events: ThreadEvents;
  readonly #cancelsSeen = new Set<PooledCall>();
  /** The sequence of the next call to be posted. */
  #end = 0;
  /** Calls posted in this turn of the event loop: one message to the thread costs as much as several, and wakes it once. */
  #outbox: PostedCall[] = [];
  readonly #flushLater = (): void => this.#flush();
  #resolveStarted: (start: ThreadStart) => void = () => {};

  constructor(session: Session, events: ThreadEvents) {
    this.#session = session;
    this.#port = session.port;
    this.#events = events;
    this.gone = session.gone;
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve));
    this.#port.on('message', (message: FromWorker) => this.#onMessage(message));
    void session.ended.then((error) => this.#onEnded(error));
  }

  /** Whether it ever came to serve. */
  get hasServed(): boolean {
    return this.identity !== undefined;
  }

  /** Whether all it still has are calls that are over for their callers: it will come back or be lost, and nobody can tell which. */
  get isLingering(): boolean {
    return this.calls.length > 0 && this.calls.every((call) => call.endedAt !== undefined);
  }

  /** What marks the processes it has started; undefined when there are none. */
  get childMark(): string | undefined {
    return Atomics.load(this.#session.progress, 1) > 0 ? this.#session.childMark : undefined;
  }

  /** How many modules it has begun to import. */
  get progress(): number {
    return Atomics.load(this.#session.progress, 0);
  }

  /** Hands a call to the thread, which begins it when those before it are over. */
  post(call: PooledCall): void {
    if (this.calls.length === 0) this.movedAt = performance.now();
    const sequence = this.#end;
    this.#end = sequenceAfter(sequence);
    call.thread = this;
    call.sequence = sequence;
    this.calls.push(call);
    this.served++;
    const { body, tags } = call.request;
    this.#outbox.push({ sequence, body, traceId: tags.traceId, spanId: tags.spanId });
    if (typeof body !== 'string') this.#flush(body.map((piece) => piece.buffer as ArrayBuffer));
    else if (this.#outbox.length === 1) setImmediate(this.#flushLater);
  }

  #flush(transfer: readonly ArrayBuffer[] = []): void {
    if (this.#outbox.length === 0) return;
    const message: ToWorker = { kind: 'calls', calls: this.#outbox };
    this.#outbox = [];
    this.#port.postMessage(message, transfer);
  }

  /** Whether no other call of the thread came before it. */
  isFirst(call: PooledCall): boolean {
    return this.calls[0] === call;
  }

  /** How many calls it has not begun. */
  get unbegun(): number {
    return this.#session.ledger.unbegun(this.#end);
  }

  /** How many calls it is not through with: fewer than there are in `calls`, where each stays until its answer has been read. */
  get unfinished(): number {
    return this.unbegun + this.#session.ledger.running;
  }

  /** How long a call has taken it of late, in milliseconds; Infinity until the first is over. */
  get averageMs(): number {
    return this.#session.ledger.averageMs;
  }

  /** Takes back the calls it has not begun: they have provably not run. */
  takeBack(): PooledCall[] {
    const taken: PooledCall[] = [];
    for (let sequence = this.#session.ledger.takeBack(this.#end); sequence !== this.#end; sequence = sequenceAfter(sequence)) {
      const call = this.#call(sequence);
      if (call === undefined) continue;
      this.release(call);
      this.served--;
      taken.push(call);
    }
    return taken;
  }

  /** Fires a call's signal. */
  cancel({ sequence }: PooledCall, reason: CancelReason): void {
    this.#flush();
    const message: ToWorker = { kind: 'cancel', sequence, reason };
    this.#port.postMessage(message);
  }

  /** Whether the thread has taken notice of a cancel: if so its event loop turns, and its other calls go on. */
  hasSeenCancel(call: PooledCall): boolean {
    return this.#cancelsSeen.has(call);
  }

  /** The thread has no more to do with a call. */
  release(call: PooledCall): void {
    this.calls.splice(this.calls.indexOf(call), 1);
    call.thread = undefined;
    this.#cancelsSeen.delete(call);
  }

  /** Ends the thread now, or once Node has started it; `onEnded` follows. */
  terminate(): void {
    if (this.#isStarting) setTimeout(() => this.terminate(), startPollMs);
    else this.#session.terminate();
  }

  /** Node 20 aborts the whole process when a thread is terminated while it still loads that thread's first module. */
  get #isStarting(): boolean {
    const hasBegun = this.progress > 0 || this.hasServed || this.state === 'ended';
    return !hasBegun && performance.now() - this.#createdAt < longestStartMs;
  }

  #onMessage(message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        this.state = 'serving';
        this.identity = { threadId: message.threadId, nativeThreadId: message.nativeThreadId };
        this.#resolveStarted({ kind: 'ready' });
        break;
      case 'load-failed':
        this.#resolveStarted({ kind: 'failed', problems: message.problems });
        break;
      case 'answer': {
        const call = this.#call(message.sequence);
        if (call) this.#events.onAnswer(this, call, message);
        break;
      }
      case 'cancel-seen': {
        const call = this.#call(message.sequence);
        if (call) this.#cancelsSeen.add(call);
        break;
      }
      case 'fault':
        this.#events.onFault(this, message);
        break;
    }
  }

  #call(sequence: number): PooledCall | undefined {
    return this.calls.find((call) => call.sequence === sequence);
  }

  #onEnded(error: unknown): void {
    // What the thread posted before it died may still wait on the port: an answer there is an answer.
    for (let waiting = receiveMessageOnPort(this.#port); waiting; waiting = receiveMessageOnPort(this.#port)) this.#onMessage(waiting.message as FromWorker);
    this.state = 'ended';
    this.#resolveStarted({ kind: 'ended', message: error === undefined ? 'it was terminated' : messageOf(error) });
    this.#events.onEnded(this, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
