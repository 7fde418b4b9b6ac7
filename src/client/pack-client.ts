import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { headers } from '../protocol/headers.js';
import { type CheckVerdict, type ErrorMessage, errorMessage, type Info, type Pause, protocolVersion, type Request, type ToolResult, type WireContext } from '../protocol/messages.js';
import { parseObject, parseResponse, type Response } from '../protocol/parse-response.js';
import { agentFor, exchange, type Incoming, retryAfterMs } from './exchange.js';

/** Which service to call, and how; times are in milliseconds. */
export interface PackClientOptions {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Its token. */
  readonly token: string;
  /** How long a call may take that says nothing else, retries included; 120000 when left out. */
  readonly timeoutMs?: number;
  /** How often a call that was turned away (503) is sent again; 3 when left out. */
  readonly maxRetries?: number;
}

/** What one call may say. */
export interface CallOptions {
  /** How long the call may take, retries included. */
  readonly timeoutMs?: number;
  /** Cancels the call: its handler is signalled, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The caller's trace, as a `traceparent` header has it. */
  readonly traceParent?: string;
}

/** A tool by id, and by version where the pack has several of it. */
export type ToolName = string | { readonly id: string; readonly version?: string };

/** How a tool call came out. */
export type ToolAnswer = ToolResult | Pause | ErrorMessage;

/** How a check came out. */
export type CheckAnswer = CheckVerdict | ErrorMessage;

/** From a call's deadline to giving up on the service, which is to answer `deadline-exceeded` itself. */
const answerMarginMs = 1_000;

/**
 * Calls one pack service. Every outcome of running pack code is an answer; what rejects is a
 * PackServiceError, or the reason of the call's own signal. A 503, of a call that did not run, is sent
 * again as its Retry-After says while the call's time lasts; nothing else is ever sent twice.
 */
export class PackClient {
  readonly #url: URL;
  readonly #options: Required<PackClientOptions>;
  readonly #agent: http.Agent;

  constructor({ url, token, timeoutMs = 120_000, maxRetries = 3 }: PackClientOptions) {
    this.#url = new URL(url);
    this.#options = { url, token, timeoutMs, maxRetries };
    this.#agent = agentFor(this.#url);
  }

  /** Calls a tool. `ctx` needs `tenantId` and `runId`; its other fields reach the handler as they are. */
  async invoke(tool: ToolName, input: unknown, ctx: WireContext, options: CallOptions = {}): Promise<ToolAnswer> {
    const response = await this.#call({ v: protocolVersion, kind: 'invoke', tool: typeof tool === 'string' ? { id: tool } : tool, input, ctx }, options);
    if (response.kind === 'check-result') throw notUnderstood('a check-result to an invoke');
    return response;
  }

  /** Runs a guardrail's check, by its id, on a run's trace. */
  async check(id: string, config: Readonly<Record<string, unknown>>, trace: unknown, options: CallOptions = {}): Promise<CheckAnswer> {
    const response = await this.#call({ v: protocolVersion, kind: 'check-invoke', check: { id }, config, trace }, options);
    if (response.kind === 'result' || response.kind === 'pause') throw notUnderstood(`a ${response.kind} to a check-invoke`);
    return response;
  }

  /** What the service's pack holds. */
  async info(options: CallOptions = {}): Promise<Info> {
    const answer = await this.#untilTaken('GET', '/v1/info', undefined, options);
    const info = answer && parseObject(answer.text);
    if (info?.['protocol'] !== protocolVersion) throw notUnderstood(answer === undefined ? 'nothing in time' : answer.text.slice(0, 200));
    return info as unknown as Info;
  }

  /** Closes the connections that are kept for later calls; calls under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  async #call(request: Request, options: CallOptions): Promise<Response> {
    const answer = await this.#untilTaken('POST', '/v1/invoke', JSON.stringify(request), options);
    if (answer === undefined) return errorMessage('deadline-exceeded', 'The service did not answer by the deadline.');
    return parseResponse(answer.text) ?? fail(notUnderstood(answer.text.slice(0, 200)));
  }

  /** The answer of status 200; undefined when there was none in time. */
  async #untilTaken(method: 'GET' | 'POST', path: string, body: string | undefined, options: CallOptions): Promise<Incoming | undefined> {
    const endsAt = performance.now() + (options.timeoutMs ?? this.#options.timeoutMs);
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#send(method, path, body, Math.max(1, Math.ceil(endsAt - performance.now())), options);
      if (answer === undefined || answer.status === 200) return answer;
      const waitMs = answer.status === 503 && attempt < this.#options.maxRetries ? retryAfterMs(answer.headers['retry-after']) : undefined;
      if (waitMs === undefined || performance.now() + waitMs >= endsAt) throw new PackServiceError('refused', refusal(answer), { status: answer.status });
      await sleep(waitMs, undefined, { signal: options.signal }).catch(() => options.signal?.throwIfAborted());
    }
  }

  async #send(method: 'GET' | 'POST', path: string, body: string | undefined, timeoutMs: number, { signal, traceParent }: CallOptions): Promise<Incoming | undefined> {
    signal?.throwIfAborted();
    const givenUp = AbortSignal.timeout(Math.min(timeoutMs + answerMarginMs, 2 ** 31 - 1));
    try {
      return await exchange({
        method,
        url: new URL(`${this.#url.pathname.replace(/\/$/, '')}${path}`, this.#url),
        headers: {
          [headers.token]: this.#options.token,
          [headers.timeoutMs]: timeoutMs,
          ...(traceParent === undefined ? {} : { [headers.traceParent]: traceParent }),
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
        ...(body === undefined ? {} : { body }),
        agent: this.#agent,
        signal: signal === undefined ? givenUp : AbortSignal.any([signal, givenUp]),
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (givenUp.aborted) return undefined;
      throw new PackServiceError('unreachable', `${this.#url.origin} cannot be reached: ${(error as Error).message || String((error as { code?: unknown }).code)}`, { cause: error });
    }
  }
}

function refusal({ status, text }: Incoming): string {
  const reason = parseObject(text)?.['error'];
  return `The service answered ${status}${typeof reason === 'string' ? `: ${reason}` : ''}`;
}

function notUnderstood(what: string): PackServiceError {
  return new PackServiceError('not-understood', `The service answered what is no message of protocol ${protocolVersion}: ${what}`);
}

function fail(error: Error): never {
  throw error;
}

/**
 * A pack service that gave no outcome. `refused`: it answered with a status that is not 200; with 503 the
 * call did not run. `unreachable`: the connection failed, and the call may have run unless it was never made.
 * `not-understood`: what it answered is no message of the protocol.
 */
export class PackServiceError extends Error {
  override readonly name = 'PackServiceError';
  readonly kind: 'refused' | 'unreachable' | 'not-understood';
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(kind: PackServiceError['kind'], message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.kind = kind;
    this.status = status;
  }
}
