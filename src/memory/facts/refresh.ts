import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '../errors.js';
import type { Fact } from '../records/fact.js';

/** What a source says of a fact's content. */
export type Refreshed =
  | { readonly kind: 'unchanged'; readonly etag?: string; readonly sourceVersion?: string }
  | { readonly kind: 'changed'; readonly content: unknown; readonly etag?: string; readonly sourceVersion?: string };

/** Asks a fact's source; `signal` fires when it takes too long. */
export type RefreshHandler = (fact: Fact, signal: AbortSignal) => Promise<Refreshed>;

/** Asks the sources of facts, each fact's once at a time: who comes meanwhile gets the same answer. */
export class Refresher {
  readonly #handlers: Readonly<Record<string, RefreshHandler>>;
  readonly #timeoutMs: number;
  readonly #running = new Map<string, Promise<Fact>>();

  constructor(handlers: Readonly<Record<string, RefreshHandler>>, timeoutMs: number) {
    this.#handlers = handlers;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks, and has `store` write what came of it. Throws MemoryError `no-handler` or `refresh-failed`. */
  refresh(key: string, fact: Fact, store: (refreshed: Refreshed) => Promise<Fact>): Promise<Fact> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = this.#ask(fact).then(store).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #ask(fact: Fact): Promise<Refreshed> {
    const name = fact.source?.refresh.handler;
    const handler = name === undefined || !Object.hasOwn(this.#handlers, name) ? undefined : this.#handlers[name];
    if (handler === undefined) throw new MemoryError('no-handler', `Fact ${fact.id} has no refresh handler that this memory was opened with${name === undefined ? '' : ` (${name})`}`);
    const ended = new AbortController();
    const late = sleep(this.#timeoutMs, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`no answer in ${this.#timeoutMs} ms`);
    });
    const overtime = new AbortController();
    try {
      return await Promise.race([handler(fact, overtime.signal), late]);
    } catch (error) {
      throw new MemoryError('refresh-failed', `The source of fact ${fact.id} could not be asked: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    } finally {
      overtime.abort();
      ended.abort();
    }
  }
}
