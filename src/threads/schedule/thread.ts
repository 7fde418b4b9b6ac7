import type { CancelReason } from '../../protocol/errors.js';
import type { ThreadAnswer, ThreadEnd, ThreadFault, ThreadHandle, ThreadHost, ThreadListener } from '../host/thread-host.js';
import { sequenceAfter } from '../link/call-ledger.js';
import type { ScheduledCall } from './call.js';
import type { Clock } from './clock.js';

/** Where a thread stands: it loads, serves, is spent (takes no further call), and has ended. */
export type ThreadState = 'loading' | 'serving' | 'spent' | 'ended';

/** What a thread tells its scheduler. */
export interface ThreadEvents {
  onReady(thread: Thread): void;
  onLoadFailed(thread: Thread, problems: readonly string[]): void;
  onAnswer(thread: Thread, call: ScheduledCall, answer: ThreadAnswer): void;
  onFault(thread: Thread, fault: ThreadFault): void;
  /** A thread that did not respond responds again. */
  onAwake(thread: Thread): void;
  /** The thread is over. Its calls are still in `thread.calls`. */
  onEnded(thread: Thread, end: ThreadEnd): void;
}

/** One thread as the scheduler sees it, and the calls it has. */
export class Thread implements ThreadListener {
  /** In the order in which they were posted; a call stays until its handler has settled, or it is taken back. */
  readonly calls: ScheduledCall[] = [];
  /** Resolves when the thread no longer exists. */
  readonly gone: Promise<void>;
  /** How many calls it was given. */
  served = 0;
  /** When it was last given a call while it had none, or answered one. */
  movedAt: number;
  state: ThreadState = 'loading';
  /** When it was asked whether it responds, and has not yet: it is busy with what an earlier call left behind. */
  silentSince: number | undefined;
  /** Whether it ever came to serve. */
  hasServed = false;
  readonly startedAt: number;
  readonly #clock: Clock;
  readonly #events: ThreadEvents;
  readonly #handle: ThreadHandle;
  readonly #cancelsSeen = new Set<ScheduledCall>();
  /** The sequence of the next call to be posted. */
  #end = 0;
  #resolveGone: () => void = () => {};

  constructor(host: ThreadHost, clock: Clock, events: ThreadEvents) {
    this.#clock = clock;
    this.#events = events;
    this.startedAt = clock.now();
    this.movedAt = this.startedAt;
    this.gone = new Promise((resolve) => (this.#resolveGone = resolve));
    this.#handle = host.start(this);
  }

  /** It responds, as far as is known. */
  get isAwake(): boolean {
    return this.silentSince === undefined;
  }

  /** Whether all it still has are calls that are over for their callers: it will come back or be lost, and nobody can tell which. */
  get isLingering(): boolean {
    return this.calls.length > 0 && this.calls.every((call) => call.endedAt !== undefined);
  }

  /** The module that it loads, or loaded last, with those who need it. */
  get loading(): string | undefined {
    return this.#handle.loading;
  }

  /** How many calls it has not begun. */
  get unbegun(): number {
    return this.calls.length === 0 ? 0 : this.#handle.unbegun;
  }

  /** How many calls have begun and are not over. */
  get running(): number {
    return this.#handle.running;
  }

  /** How many calls it is not through with: fewer than there are in `calls`, where each stays until its answer has been read. */
  get unfinished(): number {
    return this.#handle.unbegun + this.#handle.running;
  }

  /** How long a call has taken it of late, in milliseconds; Infinity until the first is over. */
  get averageMs(): number {
    return this.#handle.averageMs;
  }

  /** Hands a call to the thread, which begins it when those before it are over. */
  post(call: ScheduledCall): void {
    if (this.calls.length === 0) this.movedAt = this.#clock.now();
    const sequence = this.#end;
    this.#end = sequenceAfter(sequence);
    call.sequence = sequence;
    this.calls.push(call);
    this.served++;
    const { body, tags } = call.request;
    this.#handle.post({ sequence, body, traceId: tags.traceId, spanId: tags.spanId });
  }

  /** Takes back the calls it has not begun: they have provably not run. */
  takeBack(): ScheduledCall[] {
    if (this.calls.length === 0) return [];
    // Calls begin in their order: those that have not are the last ones.
    const unbegun = (this.#end - this.#handle.takeBack()) | 0;
    const taken = this.calls.splice(this.calls.length - unbegun, unbegun);
    for (const call of taken) call.timesTakenBack++;
    this.served -= taken.length;
    return taken;
  }

  /** Whether the thread has begun a call of its own. */
  hasBegun(call: ScheduledCall): boolean {
    return this.calls.indexOf(call) < this.calls.length - this.#handle.unbegun;
  }

  /** When it began its first call, at the earliest; undefined for the calls behind it, and while it has not. */
  beganAt(call: ScheduledCall): number | undefined {
    return this.calls[0] === call && this.hasBegun(call) ? this.movedAt : undefined;
  }

  /** Fires a call's signal. */
  cancel({ sequence }: ScheduledCall, reason: CancelReason): void {
    this.#handle.cancel(sequence, reason);
  }

  /** Whether the thread has taken notice of a cancel: if so its event loop turns, and its other calls go on. */
  hasSeenCancel(call: ScheduledCall): boolean {
    return this.#cancelsSeen.has(call);
  }

  /** It has not begun what was posted: nothing more is, until it responds. */
  askWhetherAwake(): void {
    this.silentSince = this.#clock.now();
    this.#handle.ping();
  }

  /** The thread has no more to do with a call. */
  release(call: ScheduledCall): void {
    this.calls.splice(this.calls.indexOf(call), 1);
    this.#cancelsSeen.delete(call);
  }

  /** Ends the thread; `onEnded` follows. */
  terminate(): void {
    this.#handle.terminate();
  }

  cpuMs(): number | undefined {
    return this.#handle.cpuMs();
  }

  heldBytes(afterCollection: boolean): Promise<number | undefined> {
    return this.#handle.heldBytes(afterCollection);
  }

  onReady(): void {
    this.hasServed = true;
    if (this.state === 'loading') this.state = 'serving';
    this.#events.onReady(this);
  }

  onLoadFailed(problems: readonly string[]): void {
    this.#events.onLoadFailed(this, problems);
  }

  onAnswer(answer: ThreadAnswer): void {
    const call = this.#call(answer.sequence);
    if (call !== undefined) this.#events.onAnswer(this, call, answer);
  }

  onFault(fault: ThreadFault): void {
    this.#events.onFault(this, fault);
  }

  onCancelSeen(sequence: number): void {
    const call = this.#call(sequence);
    if (call !== undefined) this.#cancelsSeen.add(call);
  }

  onPong(): void {
    if (this.isAwake) return;
    this.silentSince = undefined;
    this.movedAt = this.#clock.now();
    this.#events.onAwake(this);
  }

  onEnded(end: ThreadEnd): void {
    this.#events.onEnded(this, end);
  }

  onGone(): void {
    this.#resolveGone();
  }

  #call(sequence: number): ScheduledCall | undefined {
    return this.calls.find((call) => call.sequence === sequence);
  }
}
