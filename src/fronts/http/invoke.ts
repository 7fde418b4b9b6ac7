import type { IncomingMessage } from 'node:http';
import type { AdmittedCall } from '../../calls/admitted-call.js';
import { timeoutOf } from '../../calls/deadline.js';
import type { Gate } from '../../calls/gate.js';
import type { Records } from '../../logging/records.js';
import { joinTrace } from '../../logging/trace.js';
import { type Envelope, EnvelopeReader } from '../../protocol/envelope.js';
import type { Journal } from '../../memory/journal/journal.js';
import type { KeptBody } from '../../memory/journal/messages.js';
import type { CallOutcome } from '../../protocol/errors.js';
import { headers } from '../../protocol/headers.js';
import { errorMessage } from '../../protocol/messages.js';
import type { AnswerBody } from '../../threads/link/messages.js';
import type { CallTags } from '../../protocol/call-tags.js';
import { BodyReader } from './bodies.js';
import { respond, respondEarly } from './respond.js';
import type { Exchange } from './routes.js';

/** What answering an invoke needs. */
export interface InvokeContext {
  readonly gate: Gate;
  readonly records: Records;
  /** Where answered calls are kept, off their way. */
  readonly journal: Pick<Journal, 'keep' | 'record'> | undefined;
  /** Of the pack that is served now. */
  artifactVersion(): string;
  readonly maxBodyBytes: number;
  readonly defaultTimeoutMs: number;
}

const retryLater = { 'retry-after': '1' };

/** POST /v1/invoke: lets the call in, reads it, has it run, and answers with whatever ends it first. */
export async function invoke(exchange: Exchange, context: InvokeContext): Promise<void> {
  const { request, response } = exchange;
  const admission = context.gate.enter();
  if (admission.kind === 'refused') return respondEarly(request, response, 503, JSON.stringify(admission.refusal), retryLater);
  try {
    await answer(exchange, admission.call, context);
  } finally {
    admission.call.leave();
  }
}

async function answer({ request, response }: Exchange, call: AdmittedCall, context: InvokeContext): Promise<void> {
  const arrivedAt = performance.now();
  const { maxBodyBytes } = context;
  if (!isJson(request.headers['content-type'])) return respondEarly(request, response, 415, '{"error":"content-type must be application/json"}');
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return respondEarly(request, response, 413, tooLarge(maxBodyBytes));
  if (request.headers.expect !== undefined) response.writeContinue();

  const reader = new EnvelopeReader();
  const body = new BodyReader(request, maxBodyBytes, reader);
  call.start(timeoutOf(request.headers[headers.timeoutMs], context.defaultTimeoutMs), (reason) => body.stop(reason));
  // The request closes after every ordinary POST; only a response that closes unfinished is a hang-up.
  response.once('close', () => {
    if (!response.writableFinished) call.end('cancelled');
  });
  const read = await body.read;
  if (read.kind === 'too-large') return respondEarly(request, response, 413, tooLarge(maxBodyBytes));
  if (read.kind === 'stopped' && read.reason === 'cancelled') return;

  const envelope = reader.envelope();
  const tags = tagsOf(envelope, request);
  const finish = async (outcome: CallOutcome): Promise<Record<string, string>> => {
    const durationMs = Math.round(performance.now() - arrivedAt);
    await context.records.call({ target: envelope.target, outcome, durationMs, tags });
    return { [headers.durationMs]: String(durationMs), [headers.artifactVersion]: call.artifactVersion ?? context.artifactVersion() };
  };
  if (read.kind === 'stopped') return respondEarly(request, response, 200, unreadAtDeadline(tags), await finish('deadline-exceeded'));
  // Before it runs: a large body moves to its thread.
  const message = context.journal?.keep(read.body);
  const outcome = await call.run({ body: read.body, tags, version: envelope.version });
  if (outcome.kind === 'not-run') return respond(response, 503, '{"error":"not ready"}', retryLater);
  const answered = await finish(outcome.outcome);
  if (message !== undefined) journalCall(context, envelope, { ...tags, message, answer: outcome.body, outcome: outcome.outcome, durationMs: performance.now() - arrivedAt });
  respond(response, 200, outcome.body, answered);
}

/** A message that names no run, or nothing to call, is nobody's to journal. */
function journalCall({ journal }: InvokeContext, { target, id, ids: { tenantId, runId } }: Envelope, call: CallTags & { readonly message: KeptBody; readonly answer: AnswerBody; readonly outcome: CallOutcome; readonly durationMs: number }): void {
  if (journal === undefined || target === undefined || id === undefined || tenantId === undefined || runId === undefined) return;
  const { message, answer, outcome, requestId, projectId, orgId, traceId, spanId } = call;
  const durationMs = Math.round(call.durationMs);
  journal.record({ target, id, tenantId, runId, requestId, projectId, orgId, traceId, spanId, outcome, arrivedAt: Date.now() - durationMs, durationMs, message, answer: journal.keep(answer) });
}

function tooLarge(maxBodyBytes: number): string {
  return JSON.stringify({ error: `the body must not exceed ${maxBodyBytes} bytes` });
}

function unreadAtDeadline({ toolId, checkId }: CallTags): string {
  return JSON.stringify(errorMessage('deadline-exceeded', 'The deadline passed before the body had arrived.', { toolId, checkId }));
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
