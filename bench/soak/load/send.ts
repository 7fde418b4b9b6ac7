import { type Agent, type ClientRequest, request as httpRequest } from 'node:http';
import type { Answer } from '../judge/answer.js';
import type { Message } from '../kinds/kind.js';
import type { PlannedCall } from '../plan.js';

/** Where the service listens, and what it asks of its callers. */
export interface Address {
  readonly port: number;
  readonly token: string;
}

/** What came of one request; times in milliseconds of `performance.now()`. */
export type Sent =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly sentAt: number; readonly answeredAt: number }
  | { readonly kind: 'hung up' | 'left mid-body' }
  | { readonly kind: 'lost'; readonly why: string };

/** No call of the plan takes half as long, so that who waits longer waits for nothing. */
const lostAfterMs = 90_000;

/** Sends one request as its caller would, and resolves with what came of it; never rejects. */
export function send(call: PlannedCall, { port, token }: Address, agent: Agent): Promise<Sent> {
  const { ask } = call;
  const { conduct } = ask;
  const message = messageOf(call);
  const body = Buffer.from(ask.body ? ask.body(message) : JSON.stringify(message));
  return new Promise((resolve) => {
    let sentAt = performance.now();
    let left: 'hung up' | 'left mid-body' | undefined;
    const timers: NodeJS.Timeout[] = [];
    const settle = (sent: Sent): void => {
      for (const timer of timers) clearTimeout(timer);
      resolve(sent);
    };
    const request = httpRequest(
      {
        host: '127.0.0.1', port, method: 'POST', path: '/v1/invoke', agent,
        headers: {
          'content-type': 'application/json',
          'kindgi-pack-token': token,
          ...(conduct.kind === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
          ...(ask.deadlineMs === undefined ? {} : { 'kindgi-timeout-ms': ask.deadlineMs }),
          ...ask.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
          settle({ kind: 'answer', answer, sentAt, answeredAt: performance.now() });
        });
        response.on('error', (error) => settle(left ? { kind: left } : { kind: 'lost', why: `in mid-answer: ${error.message}` }));
      },
    );
    const leave = (how: 'hung up' | 'left mid-body', afterMs: number): void => {
      timers.push(setTimeout(() => {
        left = how;
        request.destroy();
      }, afterMs));
    };
    // The wait for a free connection is not the service's.
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (sentAt = performance.now()));
      else sentAt = performance.now();
      timers.push(setTimeout(() => request.destroy(new Error(`no answer within ${lostAfterMs} ms`)), lostAfterMs));
    });
    // After its answer a connection may close as it likes.
    request.on('error', (error) => settle(left ? { kind: left } : { kind: 'lost', why: error.message }));
    request.on('close', () => settle(left ? { kind: left } : { kind: 'lost', why: 'the connection closed' }));
    switch (conduct.kind) {
      case 'polite':
      case 'chunked':
        request.end(body);
        break;
      case 'hangs-up':
        request.end(body, () => leave('hung up', conduct.afterMs));
        break;
      case 'leaves-mid-body':
        request.write(body.subarray(0, body.length / 2), () => leave('left mid-body', conduct.afterMs));
        break;
      case 'trickles':
        trickle(request, body, conduct.pieces, conduct.gapMs);
        break;
    }
  });
}

/** Goes on to the end even when the answer comes before: the connection is good for another call only then. */
function trickle(request: ClientRequest, body: Buffer, pieces: number, gapMs: number): void {
  const size = Math.ceil(body.length / pieces);
  const next = (from: number): void => {
    const piece = body.subarray(from, from + size);
    if (from + size >= body.length) return void request.end(piece);
    request.write(piece);
    setTimeout(() => request.destroyed || next(from + size), gapMs);
  };
  next(0);
}

/** The protocol message of a call. Its nonce is the request id, so that its record names it too. */
export function messageOf({ nonce, ask: { target, id, input } }: PlannedCall): Message {
  const ids = { requestId: nonce, tenantId: 'soak', runId: 'soak' };
  if (target === 'tool') return { ctx: ids, v: 2, kind: 'invoke', tool: { id }, input: { nonce, ...input } };
  const trace = { ...ids, output: 'hello', toolCalls: [], toolResults: [], modelCalls: [], mode: 'runtime' };
  return { trace, v: 2, kind: 'check-invoke', check: { id }, config: { nonce, ...input } };
}
