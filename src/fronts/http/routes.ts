import type { Calls } from '../../calls/calls.js';
import { headers } from '../../protocol/headers.js';
import type { Authenticator } from './authenticate.js';
import { type Exchange, respondEarly, respondRefused } from './respond.js';

interface Route {
  readonly method: 'GET' | 'POST';
  readonly needsToken: boolean;
  respond(exchange: Exchange): Promise<void> | void;
}

/** What the routes are made of. */
export interface RouteContext {
  readonly calls: Calls;
  readonly authenticator: Authenticator;
  readonly info: () => string;
  readonly invoke: (exchange: Exchange) => Promise<void>;
}

/** Routes a request by its path: 404, 405, 401, then the route's own statuses, in this order. */
export function createRouter({ calls, authenticator, info, invoke }: RouteContext): (exchange: Exchange) => Promise<void> {
  const routes = new Map<string, Route>([
    ['/v1/invoke', { method: 'POST', needsToken: true, respond: invoke }],
    ['/v1/info', { method: 'GET', needsToken: true, respond: ({ request, response }) => respondEarly(request, response, 200, info()) }],
    ['/healthz', { method: 'GET', needsToken: false, respond: ({ request, response }) => respondEarly(request, response, 200, '{"status":"ok"}') }],
    ['/readyz', { method: 'GET', needsToken: false, respond: (exchange) => respondReady(calls, exchange) }],
  ]);
  return async ({ request, response }) => {
    const route = routes.get(pathOf(request.url));
    if (route === undefined) return respondEarly(request, response, 404, '{"error":"not found"}');
    if (request.method !== route.method) return respondEarly(request, response, 405, '{"error":"method not allowed"}', { allow: route.method });
    if (!route.needsToken || authenticator.accepts(request.headers[headers.token])) return route.respond({ request, response });
    calls.refuse('unauthorized');
    return respondEarly(request, response, 401, `{"error":"${headers.token} is missing or wrong"}`);
  };
}

function respondReady(calls: Calls, exchange: Exchange): void {
  const refusal = calls.unready();
  if (refusal) respondRefused(exchange, refusal);
  else respondEarly(exchange.request, exchange.response, 200, '{"status":"ready"}');
}

/** The path of a request target, which may also come in absolute form (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2). */
function pathOf(target = '/'): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const query = local.indexOf('?');
  return query < 0 ? local : local.slice(0, query);
}
