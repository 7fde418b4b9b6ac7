import inspector from 'node:inspector';

/**
 * The global under which a thread with a memory limit has a function that answers the bytes it holds;
 * called with true it collects its garbage first. The main thread has it called through the inspector.
 */
export const heldBytesName = '__packhostHeldBytes';

interface WorkerMessage {
  readonly sessionId: string;
  readonly message: string;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/**
 * Asks worker threads how much memory they hold, even while their code never yields: the inspector
 * interrupts it. `resourceLimits` bound the JavaScript heap alone, Worker.getHeapStatistics came with
 * Node 22, and the process's own figures do not tell threads apart.
 */
export class MemoryProbe {
  readonly #session = new inspector.Session();
  /** By thread id. */
  readonly #sessions = new Map<number, string>();
  /** By message id. */
  readonly #waiting = new Map<number, { readonly threadId: number; readonly resolve: (reply?: Reply) => void }>();
  #lastId = 0;

  constructor() {
    this.#session.connect();
    this.#session.on('NodeWorker.attachedToWorker', ({ params }) => this.#attach(params.workerInfo.title, params.sessionId));
    this.#session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      for (const [threadId, sessionId] of this.#sessions) if (sessionId === params.sessionId) this.#forget(threadId);
    });
    this.#session.on('NodeWorker.receivedMessageFromWorker', ({ params }: { params: WorkerMessage }) => {
      const reply = JSON.parse(params.message) as Reply;
      const waiting = reply.id === undefined ? undefined : this.#waiting.get(reply.id);
      if (reply.id !== undefined) this.#waiting.delete(reply.id);
      waiting?.resolve(reply);
    });
    this.#session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** The bytes a thread holds, garbage included; undefined when it is gone. */
  held(threadId: number): Promise<number | undefined> {
    return this.#evaluate(threadId, `${heldBytesName}(false)`);
  }

  /** The same once its garbage has been collected. The inspector's own command for that waits for code that never yields. */
  heldAfterCollection(threadId: number): Promise<number | undefined> {
    return this.#evaluate(threadId, `${heldBytesName}(true)`);
  }

  close(): void {
    this.#session.disconnect();
  }

  async #evaluate(threadId: number, expression: string): Promise<number | undefined> {
    const reply = await this.#ask(threadId, 'Runtime.evaluate', { expression });
    const value = reply?.result?.result?.value;
    return typeof value === 'number' ? value : undefined;
  }

  /** The thread's number is in its title alone, `[worker 3]`; `workerId` counts the attachments. */
  #attach(title: string, sessionId: string): void {
    const threadId = /\d+/.exec(title)?.[0];
    if (threadId !== undefined) this.#sessions.set(Number(threadId), sessionId);
  }

  /** However long it takes: a thread on a busy machine answers late, and one in native code after that. */
  #ask(threadId: number, method: string, params: object): Promise<Reply | undefined> {
    const sessionId = this.#sessions.get(threadId);
    if (sessionId === undefined) return Promise.resolve(undefined);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, { threadId, resolve });
      this.#session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) });
    });
  }

  #forget(threadId: number): void {
    this.#sessions.delete(threadId);
    for (const [id, waiting] of this.#waiting) {
      if (waiting.threadId !== threadId) continue;
      this.#waiting.delete(id);
      waiting.resolve();
    }
  }
}
