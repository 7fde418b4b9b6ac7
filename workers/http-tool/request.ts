import type { HttpSpec } from '../../src/sdk/http-spec.js';
import { HttpToolError } from './error.js';
import { fillTemplate, fillUrl, Secret } from './request-parts.js';

type Fields = Readonly<Record<string, unknown>>;

// Taken before any pack code runs; it is held to the tool's network policy like any other.
const { fetch } = globalThis;

/** The handler of a tool that is one HTTP request. Redirects are not followed: the secret goes to the host that the tool names, and nowhere else. */
export function httpHandler(spec: HttpSpec): (input: unknown, ctx: unknown) => Promise<unknown> {
  const name = `${spec.method} ${spec.urlTemplate}`;
  const [least, most] = spec.successStatus ?? [200, 299];
  return async (input, context) => {
    const ctx = context as { readonly secrets: Fields; readonly abortSignal: AbortSignal };
    const secret = Secret.of(spec, ctx.secrets);
    const timeout = spec.timeoutMs === undefined ? undefined : AbortSignal.timeout(spec.timeoutMs);
    const signal = timeout === undefined ? ctx.abortSignal : AbortSignal.any([ctx.abortSignal, timeout]);
    const fields = (typeof input === 'object' && input !== null ? input : {}) as Fields;
    try {
      const response = await fetch(fillUrl(spec.urlTemplate, fields), { method: spec.method, ...bodyOf(spec, input, fields, secret), redirect: 'manual', signal });
      const text = secret.hide(await readBody(response, name));
      if (response.status < least || response.status > most) throw new HttpToolError('HttpStatus', `${name} answered ${response.status}${excerpt(text)}`);
      return spec.parseJson === false ? text : parsed(text, name, secret);
    } catch (error) {
      if (error instanceof HttpToolError) throw error;
      if (ctx.abortSignal.aborted) throw ctx.abortSignal.reason;
      if (timeout?.aborted) throw new HttpToolError('HttpTimeout', `${name} took longer than ${spec.timeoutMs} ms`);
      // The cause of a failed fetch says why: the network policy, a refused connection, a name that does not resolve.
      const cause = (error as Error).cause instanceof Error ? (error as Error).cause : error;
      throw new HttpToolError('HttpRequestFailed', `${name} failed: ${(cause as Error).message}`, { cause });
    }
  };
}

function bodyOf(spec: HttpSpec, input: unknown, fields: Fields, secret: Secret): { headers: Headers; body?: string } {
  const headers = new Headers(spec.parseJson === false ? {} : { accept: 'application/json' });
  const { requestBody } = spec;
  if (requestBody !== undefined) headers.set('content-type', requestBody.kind === 'text' ? (requestBody.contentType ?? 'text/plain; charset=utf-8') : 'application/json');
  for (const [name, value] of Object.entries(spec.headers ?? {})) headers.set(name, value);
  secret.authorize(headers);
  if (requestBody === undefined) return { headers };
  return { headers, body: requestBody.kind === 'text' ? fillTemplate(requestBody.template, fields) : JSON.stringify(input) };
}

function parsed(text: string, name: string, secret: Secret): unknown {
  if (text === '') return null;
  try {
    // Once more, string by string: JSON has many ways to write the same text.
    return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? secret.hide(value) : value));
  } catch {
    throw new HttpToolError('HttpBodyInvalid', `${name} answered what is not JSON${excerpt(text)}`);
  }
}

/** The beginning of an answer's body says what was wrong. */
function excerpt(text: string): string {
  return text === '' ? '' : `: ${text.slice(0, 300)}`;
}

/** As much as a call may send. */
const largestBody = 10 * 1024 * 1024;

/** An answer's body as text; what is too large is not read to its end. */
async function readBody(response: Response, name: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largestBody) throw new HttpToolError('HttpBodyTooLarge', `${name} answered more than ${largestBody} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
