import type { CancelReason } from '../../src/protocol/errors.js';
import type { ThreadCall, ThreadEnd, ThreadHandle, ThreadHost, ThreadListener } from '../../src/threads/host/thread-host.js';

/** A host whose threads do what a test tells them, and nothing by themselves. */
export class FakeHost implements ThreadHost {
  /** Every thread that was ever started and is not gone. */
  readonly threads: FakeThread[] = [];
  /** Told of each thread that starts. */
  onStart: (thread: FakeThread) => void = () => {};

  start(listener: ThreadListener): FakeThread {
    const thread = new FakeThread(listener, () => this.threads.splice(this.threads.indexOf(thread), 1));
    this.threads.push(thread);
    this.onStart(thread);
    return thread;
  }

  /** The thread with that number among those that are there. */
  thread(at: number): FakeThread {
    const thread = this.threads[at];
    if (thread === undefined) throw new Error(`there are ${this.threads.length} threads, none with number ${at}`);
    return thread;
  }
}

/** A thread as a test plays it. Its calls wait until the test begins them. */
export class FakeThread implements ThreadHandle {
  /** Posted, and neither begun nor taken back. */
  readonly waiting: ThreadCall[] = [];
  /** Begun, and not finished. */
  readonly begun: ThreadCall[] = [];
  readonly cancelled: { readonly sequence: number; readonly reason: CancelReason }[] = [];
  pings = 0;
  averageMs = Infinity;
  loading: string | undefined;
  cpuUsedMs = 0;
  held: number | undefined;
  isTerminated = false;
  state: 'starting' | 'ready' | 'ended' | 'gone' = 'starting';
  readonly #listener: ThreadListener;
  readonly #onGone: () => void;
  #end = 0;

  constructor(listener: ThreadListener, onGone: () => void) {
    this.#listener = listener;
    this.#onGone = onGone;
  }

  get unbegun(): number {
    return this.waiting.length;
  }

  get running(): number {
    return this.begun.length;
  }

  post(call: ThreadCall): void {
    this.#end = (call.sequence + 1) | 0;
    if (this.state === 'ready') this.waiting.push(call);
  }

  takeBack(): number {
    const first = this.waiting[0]?.sequence ?? this.#end;
    this.waiting.length = 0;
    return first;
  }

  cancel(sequence: number, reason: CancelReason): void {
    this.cancelled.push({ sequence, reason });
  }

  ping(): void {
    this.pings++;
  }

  terminate(): void {
    this.isTerminated = true;
  }

  cpuMs(): number {
    return this.cpuUsedMs;
  }

  async heldBytes(): Promise<number | undefined> {
    return this.held;
  }

  /** It has loaded the pack. */
  ready(): void {
    this.state = 'ready';
    this.#listener.onReady();
  }

  /** It cannot load the pack. */
  failToLoad(problem: string): void {
    this.#listener.onLoadFailed([problem]);
  }

  /** It begins the next call that waits. */
  begin(): ThreadCall {
    const call = this.waiting.shift();
    if (call === undefined) throw new Error('no call waits on the thread');
    this.begun.push(call);
    return call;
  }

  /** It finishes a call that it has begun, the oldest by default. */
  finish({ sequence } = this.begun[0] ?? { sequence: NaN }, leftBehind?: string): void {
    const at = this.begun.findIndex((call) => call.sequence === sequence);
    if (at < 0) throw new Error(`the thread does not run call ${sequence}`);
    const [call] = this.begun.splice(at, 1);
    this.averageMs = 0.1;
    const body = typeof call?.body === 'string' ? call.body : 'bytes';
    this.#listener.onAnswer({ kind: 'answer', sequence, outcome: 'ok', body, ...(leftBehind === undefined ? {} : { leftBehind }) });
  }

  /** It responds to a ping. */
  pong(): void {
    this.#listener.onPong();
  }

  /** It has taken notice of a cancel. */
  seeCancel(sequence: number): void {
    this.#listener.onCancelSeen(sequence);
  }

  /** Pack code did something to it. */
  fault(): void {
    this.#listener.onFault({ kind: 'fault', fault: 'exception', afterAnswer: true, tags: undefined, cause: { name: 'Error', message: 'left behind' } });
  }

  /** It is over; by itself, unless it was terminated. */
  end(end: ThreadEnd = this.isTerminated ? { kind: 'terminated' } : { kind: 'died', cause: { name: 'WorkerExited', message: 'it exited' } }): void {
    this.state = 'ended';
    this.#listener.onEnded(end);
  }

  /** It no longer exists. */
  go(): void {
    this.state = 'gone';
    this.#onGone();
    this.#listener.onGone();
  }
}
