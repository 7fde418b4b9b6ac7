import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

/** One request. */
export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent: http.Agent;
  readonly signal: AbortSignal;
}

/** One answer, read to its end. */
export interface Incoming {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Connections that are kept for the next call, but for less long than services keep them. */
export function agentFor(url: URL): http.Agent {
  const options = { keepAlive: true, timeout: 30_000 };
  return url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
}

/** Sends a request and reads its answer. Node's own client rather than fetch, which gives up on an answer after five minutes. */
export function exchange({ url, body, ...options }: Outgoing): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: read }), reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** How long a Retry-After header asks to wait, in milliseconds: it has seconds, or a date. undefined when there is none, and nobody has said that the call did not run. */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
