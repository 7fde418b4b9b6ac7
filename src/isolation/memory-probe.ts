import inspector from 'node:inspector';

interface WorkerMessage {
  readonly sessionId: string;
  readonly message: string;
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

const usage = '(() => { const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; })()';

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
    this.#session.on('NodeWorker.attachedToWorker', ({ params }) => this.#sessions.set(Number(params.workerInfo.workerId), params.sessionId));
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
  async held(threadId: number): Promise<number | undefined> {
    const reply = await this.#ask(threadId, 'Runtime.evaluate', { expression: usage });
    const value = reply?.result?.result?.value;
    return typeof value === 'number' ? value : undefined;
  }

  /** The same once its garbage has been collected. */
  async heldAfterCollection(threadId: number): Promise<number | undefined> {
    await this.#ask(threadId, 'HeapProfiler.collectGarbage', {});
    return this.held(threadId);
  }

  close(): void {
    this.#session.disconnect();
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
