import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate } from '../../calls/gate.js';
import { headers } from '../../protocol/headers.js';
import type { Authenticator } from './authenticate.js';
import { respondEarly } from './respond.js';

/** One request to answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly needsToken: boolean;
  answer(exchange: Exchange): Promise<void> | void;
}

/** What the routes are made of. */
export interface RouteContext {
  readonly gate: Gate;
  readonly authenticator: Authenticator;
  readonly info: () => string;
  readonly invoke: (exchange: Exchange) => Promise<void>;
}

/** Answers a request by its path: 404, 405, 401, then the route's own statuses, in this order. */
export function createRouter({ gate, authenticator, info, invoke }: RouteContext): (exchange: Exchange) => Promise<void> {
  const routes = new Map<string, Route>([
    ['/v1/invoke', { method: 'POST', needsToken: true, answer: invoke }],
    ['/v1/info', { method: 'GET', needsToken: true, answer: ({ request, response }) => respondEarly(request, response, 200, info()) }],
    ['/healthz', { method: 'GET', needsToken: false, answer: ({ request, response }) => respondEarly(request, response, 200, '{"status":"ok"}') }],
    ['/readyz', { method: 'GET', needsToken: false, answer: (exchange) => answerReady(gate, exchange) }],
  ]);
  return async ({ request, response }) => {
    const route = routes.get(pathOf(request.url));
    if (route === undefined) return respondEarly(request, response, 404, '{"error":"not found"}');
    if (request.method !== route.method) return respondEarly(request, response, 405, '{"error":"method not allowed"}', { allow: route.method });
    if (route.needsToken && !authenticator.accepts(request.headers[headers.token])) return respondEarly(request, response, 401, `{"error":"${headers.token} is missing or wrong"}`);
    return route.answer({ request, response });
  };
}

function answerReady(gate: Gate, { request, response }: Exchange): void {
  const refusal = gate.unready();
  if (refusal) respondEarly(request, response, 503, JSON.stringify(refusal), { 'retry-after': '1' });
  else respondEarly(request, response, 200, '{"status":"ready"}');
}

/** The path of a request target, which may also come in absolute form (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2). */
function pathOf(target = '/'): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const query = local.indexOf('?');
  return query < 0 ? local : local.slice(0, query);
}
