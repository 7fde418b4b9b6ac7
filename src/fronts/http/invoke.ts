import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, CallMessage } from '../../calls/call.js';
import type { Calls } from '../../calls/calls.js';
import type { CallTags } from '../../protocol/call-tags.js';
import { type Envelope, EnvelopeReader } from '../../protocol/envelope.js';
import { headers } from '../../protocol/headers.js';
import { BodyReader } from './bodies.js';
import { type Exchange, respondEarly, respondRefused } from './respond.js';
import { joinTrace } from './trace.js';

/** What an invoke needs. */
export interface InvokeContext {
  readonly calls: Calls;
  /** Of the pack that is served now. */
  readonly artifactVersion: () => string;
  readonly maxBodyBytes: number;
  readonly defaultTimeoutMs: number;
}

/** Node's timers take no more; longer deadlines are as good as this one, which is 24 days. */
const longestTimeoutMs = 2 ** 31 - 1;

/** POST /v1/invoke: admits the call, reads it, has it run, and responds with whatever ends it first. */
export async function invoke(exchange: Exchange, context: InvokeContext): Promise<void> {
  const admission = context.calls.admit();
  if (admission.kind === 'refused') return respondRefused(exchange, admission.refusal);
  try {
    await conduct(exchange, admission.call, context);
  } finally {
    admission.call.leave();
  }
}

async function conduct(exchange: Exchange, call: Call, { calls, maxBodyBytes, defaultTimeoutMs, artifactVersion }: InvokeContext): Promise<void> {
  const { request, response } = exchange;
  const tooLarge = (): void => {
    calls.refuse('too large');
    respondEarly(request, response, 413, JSON.stringify({ error: `the body must not exceed ${maxBodyBytes} bytes` }));
  };
  if (!isJson(request.headers['content-type'])) {
    calls.refuse('unsupported content type');
    return respondEarly(request, response, 415, '{"error":"content-type must be application/json"}');
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();

  const reader = new EnvelopeReader();
  const body = new BodyReader(request, maxBodyBytes, reader);
  call.start(timeoutOf(request.headers[headers.timeoutMs], defaultTimeoutMs), (reason) => body.stop(reason));
  endAtHangUp(call, response);
  const read = await body.read;
  if (read.kind === 'too-large') return tooLarge();

  const envelope = reader.envelope();
  const tags = tagsOf(envelope, request);
  const message: CallMessage = read.kind === 'whole' ? { kind: 'whole', body: read.body, envelope, tags } : { kind: 'partial', ended: read.reason, envelope, tags };
  const result = await call.run(message);
  if (result.kind === 'abandoned') return;
  if (result.kind === 'not-run') {
    calls.refuse('not ready');
    return respondRefused(exchange, { reason: 'not ready' });
  }
  respondEarly(request, response, 200, result.body, {
    [headers.durationMs]: String(result.durationMs),
    [headers.artifactVersion]: result.artifactVersion ?? artifactVersion(),
  });
}

/** The request closes after every ordinary POST; only a response that closes unfinished is a hang-up. */
function endAtHangUp(call: Call, response: ServerResponse): void {
  response.once('close', () => {
    if (!response.writableFinished) call.end('cancelled');
  });
}

/** The time a call has, in milliseconds: the header's when that is a positive whole number, else the default. */
function timeoutOf(header: string | string[] | undefined, defaultMs: number): number {
  if (typeof header !== 'string' || !/^[0-9]+$/.test(header)) return defaultMs;
  const ms = Number(header);
  return ms > 0 ? Math.min(ms, longestTimeoutMs) : defaultMs;
}

function tagsOf({ target, id, ids }: Envelope, request: IncomingMessage): CallTags {
  const parent = request.headers[headers.traceParent];
  const { tenantId, runId, requestId, projectId, orgId } = ids;
  const { traceId, spanId } = joinTrace(typeof parent === 'string' ? parent : undefined);
  // Written out: spreading what may be there costs several microseconds.
  return { toolId: target === 'tool' ? id : undefined, checkId: target === 'check' ? id : undefined, tenantId, runId, requestId, projectId, orgId, traceId, spanId };
}

/** Compared without case; parameters such as a charset are ignored. */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
