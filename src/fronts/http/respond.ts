import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Refusal } from '../../calls/gate.js';
import { bytesPerTurn } from './bodies.js';

/** One request, and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A body that is still coming is read and thrown away for so long, so that its sender gets to read the response. */
const lingerMs = 5_000;
/** A declared body up to this size is simply left to Node to skip, and the connection lives on. */
const skippedBytes = 65_536;

/** Responds with JSON, given as text or as bytes. */
export function respond(response: ServerResponse, status: number, body: string | Uint8Array, headers: OutgoingHttpHeaders = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  if (typeof body === 'string') response.end(body);
  else sendInPieces(response, body);
}

function sendInPieces(response: ServerResponse, body: Uint8Array): void {
  const piece = body.subarray(0, bytesPerTurn);
  const rest = body.subarray(bytesPerTurn);
  if (rest.length === 0) response.end(piece);
  // Called back when the kernel has taken the piece, or the connection is gone.
  else response.write(piece, (error) => {
    if (!error) setImmediate(sendInPieces, response, rest);
  });
}

/**
 * Responds to a request whose body is not read, or not to its end. Closing the connection while the
 * client still sends would reset it, and the client would never see the response: so a large body is
 * read on for a while, and thrown away.
 */
export function respondEarly(request: IncomingMessage, response: ServerResponse, status: number, body: string | Uint8Array, headers: OutgoingHttpHeaders = {}): void {
  if (response.headersSent || response.destroyed) return;
  if (request.complete || isSkipped(request)) return respond(response, status, body, headers);
  if (request.headers.expect !== undefined) return respond(response, status, body, { ...headers, connection: 'close' });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers, connection: 'close' });
  response.write(body);
  const timer = setTimeout(() => finish(), lingerMs);
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  request.once('end', finish);
  response.once('close', () => clearTimeout(timer));
  request.resume();
}

/** 503: the call did not run, and may be sent again. */
export function respondRefused({ request, response }: Exchange, { reason, missingEnv }: Refusal): void {
  respondEarly(request, response, 503, JSON.stringify({ error: reason, missingEnv }), { 'retry-after': '1' });
}

function isSkipped({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= skippedBytes;
}
