import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '../errors.js';
import type { Fact, Source } from '../records/fact.js';

/** Whether a fact's content still is what its source has. */
export type Freshness =
  /** The fact is nobody's copy. */
  | { readonly kind: 'no-source' }
  | { readonly kind: 'fresh' }
  /** `error` is why the source could not be asked, when it was. */
  | { readonly kind: 'stale'; readonly since: string; readonly error?: string };

/** When a copy becomes stale; undefined for never. */
export function staleAt({ freshness: { ttlSeconds, lastVerifiedAt } }: Source): string | undefined {
  if (ttlSeconds === undefined || lastVerifiedAt === undefined) return undefined;
  return new Date(Math.min(Date.parse(lastVerifiedAt) + ttlSeconds * 1000, Date.parse('9999-12-31T23:59:59.999Z'))).toISOString();
}

export function freshnessOf(source: Source | undefined, now: number): Freshness {
  if (source === undefined) return { kind: 'no-source' };
  const since = staleAt(source);
  return since !== undefined && Date.parse(since) <= now ? { kind: 'stale', since } : { kind: 'fresh' };
}

/** A source that was just asked, with the validators it gave. */
export function verifiedSource(source: Source, now: number, { etag, sourceVersion }: { readonly etag?: string | undefined; readonly sourceVersion?: string | undefined }): Source {
  return {
    ...source,
    freshness: {
      ...source.freshness,
      lastVerifiedAt: new Date(now).toISOString(),
      ...(etag === undefined ? {} : { etag }),
      ...(sourceVersion === undefined ? {} : { sourceVersion }),
    },
  };
}

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

/** A tool of a pack, and the pack service that runs it. */
export interface ToolSource {
  /** The service's address, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly token: string;
  readonly tool: { readonly id: string; readonly version?: string };
}

/**
 * A refresh handler that calls a tool. The tool gets `{fact}` and answers `{content}` with the source's
 * content, or `{unchanged: true}`; either may have an `etag` and a `sourceVersion`.
 */
export function refreshByTool({ url, token, tool }: ToolSource): RefreshHandler {
  return async (fact, signal) => {
    const answer = await fetch(new URL('/v1/invoke', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'kindgi-pack-token': token },
      body: JSON.stringify({ v: 2, kind: 'invoke', tool, input: { fact }, ctx: { ...fact.scope, runId: `refresh-${randomUUID()}` } }),
      signal,
    });
    if (!answer.ok) throw new Error(`the pack service answered ${answer.status}`);
    const message = (await answer.json()) as { readonly kind?: string; readonly code?: string; readonly output?: unknown };
    if (message.kind !== 'result') throw new Error(`tool ${tool.id} failed: ${message.code ?? 'it answered no result'}`);
    return refreshedOf(tool.id, message.output);
  };
}

function refreshedOf(toolId: string, output: unknown): Refreshed {
  const said = (typeof output === 'object' && output !== null ? output : {}) as { content?: unknown; unchanged?: unknown; etag?: unknown; sourceVersion?: unknown };
  const validators = { ...(typeof said.etag === 'string' ? { etag: said.etag } : {}), ...(typeof said.sourceVersion === 'string' ? { sourceVersion: said.sourceVersion } : {}) };
  if (said.unchanged === true) return { kind: 'unchanged', ...validators };
  if (said.content === undefined) throw new Error(`tool ${toolId} answered neither content nor unchanged: true`);
  return { kind: 'changed', content: said.content, ...validators };
}
