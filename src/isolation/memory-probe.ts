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
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  constructor() {
    this.#session.connect();
    this.#session.on('NodeWorker.attachedToWorker', ({ params }) => this.#sessions.set(Number(params.workerInfo.workerId), params.sessionId));
    this.#session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      for (const [threadId, sessionId] of this.#sessions) if (sessionId === params.sessionId) this.#sessions.delete(threadId);
    });
    this.#session.on('NodeWorker.receivedMessageFromWorker', ({ params }: { params: WorkerMessage }) => {
      const reply = JSON.parse(params.message) as Reply;
      const resolve = reply.id === undefined ? undefined : this.#waiting.get(reply.id);
      if (reply.id !== undefined) this.#waiting.delete(reply.id);
      resolve?.(reply);
    });
    this.#session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** The bytes a thread holds, garbage included; undefined when it is gone or in native code. */
  async held(threadId: number, withinMs: number): Promise<number | undefined> {
    const reply = await this.#ask(threadId, 'Runtime.evaluate', { expression: usage }, withinMs);
    const value = reply?.result?.result?.value;
    return typeof value === 'number' ? value : undefined;
  }

  /** The same once its garbage has been collected. */
  async heldAfterCollection(threadId: number, withinMs: number): Promise<number | undefined> {
    await this.#ask(threadId, 'HeapProfiler.collectGarbage', {}, withinMs);
    return this.held(threadId, withinMs);
  }

  close(): void {
    this.#session.disconnect();
  }

  #ask(threadId: number, method: string, params: object, withinMs: number): Promise<Reply | undefined> {
    const sessionId = this.#sessions.get(threadId);
    if (sessionId === undefined) return Promise.resolve(undefined);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        resolve(undefined);
      }, withinMs).unref();
      this.#waiting.set(id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
      this.#session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) });
    });
  }
}
