import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Exchange } from './respond.js';

/** A server that listens. */
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** From now on each connection is closed once its response under way is out. */
  keepNoConnections(): void;
  /** Takes no further connection, lets the responses under way finish for so long, then closes the rest. */
  close(withinMs: number): Promise<void>;
}

export interface HttpServerOptions {
  /** Every interface when undefined. */
  readonly host: string | undefined;
  readonly port: number;
  respond(exchange: Exchange): Promise<void>;
  onError(error: unknown): void;
}

/** Longer than the idle timeout of common balancers (60 s), so that it is never us who closes as they send. */
const keepAliveMs = 65_000;
/** A connection that has not sent its headers by then is closed, one that is silent from the start as well. */
const headersMs = 15_000;
const checkConnectionsEveryMs = 5_000;

/** Starts to listen; rejects when the address cannot be had. */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  // By connection, which many requests share: a Set of responses would be rewritten all the time, and what
  // such a Set has dropped outlives the cheap collections.
  const current = new Map<Socket, ServerResponse | undefined>();
  let answering = 0;
  let keepsConnections = true;
  let onAnswered = (): void => {};
  const handle = (exchange: Exchange): void => {
    const { response } = exchange;
    const { socket } = exchange.request;
    answering++;
    current.set(socket, response);
    response.once('close', () => {
      answering--;
      if (current.get(socket) === response) current.set(socket, undefined);
      onAnswered();
    });
    response.shouldKeepAlive &&= keepsConnections;
    options.respond(exchange).catch((error: unknown) => {
      options.onError(error);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"error":"internal error"}');
    });
  };
  const server = createServer({ keepAliveTimeout: keepAliveMs, headersTimeout: headersMs, connectionsCheckingInterval: checkConnectionsEveryMs }, (request, response) => handle({ request, response }));
  server.on('connection', (socket: Socket) => socket.once('close', () => current.delete(socket)));
  // The client asks before it sends its body: whether to go on is decided as for any other request.
  server.on('checkContinue', (request, response) => handle({ request, response }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    keepNoConnections() {
      keepsConnections = false;
      for (const response of current.values()) if (response) response.shouldKeepAlive = false;
    },
    async close(withinMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        onAnswered = () => {
          if (answering > 0) return;
          clearTimeout(timer);
          resolve();
        };
        onAnswered();
      });
      // Idle, silent and half-sent connections would keep a closing server open.
      server.closeAllConnections();
      await closed;
    },
  };
}
