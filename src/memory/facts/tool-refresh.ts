import { randomUUID } from 'node:crypto';
import type { Refreshed, RefreshHandler } from './refresh.js';

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
