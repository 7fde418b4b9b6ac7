import { canonicalJson, sha256 } from '../hashing/canonical.js';
import { newId } from '../hashing/new-id.js';
import type { NewLogEntry } from '../records/log-entry.js';
import type { Scope } from '../records/scope.js';
import type { JournalledCall, JournalPayloads, KeptBody } from './messages.js';
import { secretsOf, withoutSecrets } from './secrets.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * The entries of a call: `tool-call` and `tool-result` of a tool, `guardrail-triggered` of a check that
 * failed, nothing of one that passed. They have ids of their own, so that they can be appended again
 * after a failure that leaves open whether they were.
 */
export function entriesOf(call: JournalledCall, payloads: JournalPayloads): NewLogEntry[] {
  const message = parsed(call.message);
  const answer = parsed(call.answer);
  const context = (call.target === 'tool' ? message?.['ctx'] : message?.['trace']) as Json | undefined;
  const common = { tenantId: call.tenantId, runId: call.runId, actor: call.id, scope: scopeOf(call, context) };
  const secrets = secretsOf(message?.['ctx']);
  const body = (name: string, kept: KeptBody, value: unknown): Json => bodyFields(name, kept, value, payloads, secrets);
  if (call.target === 'check') {
    const result = answer?.['result'] as Json | undefined;
    if (call.outcome === 'ok' && result?.['passed'] !== false) return [];
    const judged = call.outcome === 'ok' ? body('result', call.answer, result) : body('error', call.answer, errorOf(answer));
    return [{ ...common, id: newId(), kind: 'guardrail-triggered', payload: { ...idsOf(call), checkId: call.id, outcome: call.outcome, ...judged } }];
  }
  const called = newId();
  const came = call.outcome === 'ok' ? body('output', call.answer, answer?.['output']) : body('error', call.answer, errorOf(answer));
  return [
    { ...common, id: called, kind: 'tool-call', payload: { ...idsOf(call), toolId: call.id, ...body('input', call.message, message?.['input']) } },
    { ...common, id: newId(), kind: 'tool-result', causedByLogId: called, payload: { toolId: call.id, outcome: call.outcome, durationMs: call.durationMs, ...came } },
  ];
}

/** What was said, whole or as the hash of its canonical JSON: `input`, or `inputHash`, or `inputTooLarge`. */
function bodyFields(name: string, kept: KeptBody, value: unknown, payloads: JournalPayloads, secrets: readonly string[]): Json {
  if (isTooLarge(kept)) return { [`${name}TooLarge`]: kept.tooLarge };
  if (value === undefined) return {};
  if (payloads === 'whole') return { [name]: withoutSecrets(value, secrets) };
  return { [`${name}Hash`]: sha256(canonicalJson(value, 'call', name) ?? '') };
}

/** The message's envelope is ours to know; what is left is what went wrong. */
function errorOf(answer: Json | undefined): Json | undefined {
  if (answer === undefined) return undefined;
  const { v: _v, kind: _kind, ...error } = answer;
  return error;
}

function idsOf({ requestId, traceId, spanId, arrivedAt }: JournalledCall): Json {
  return { arrivedAt: new Date(arrivedAt).toISOString(), ...defined({ requestId, traceId, spanId }) };
}

/** The ids that the front has read, and those that only the context has. */
function scopeOf({ projectId, orgId }: JournalledCall, context: Json | undefined): Partial<Scope> {
  const text = (name: string): string | undefined => (typeof context?.[name] === 'string' ? context[name] : undefined);
  return defined({ projectId, orgId, userId: text('userId'), threadId: text('threadId'), sessionId: text('sessionId') });
}

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));
}

function isTooLarge(body: KeptBody): body is { readonly tooLarge: number } {
  return typeof body === 'object' && 'tooLarge' in body;
}

/** What is no JSON has nothing to tell: its call was answered with an error that says so. */
function parsed(body: KeptBody): Json | undefined {
  if (isTooLarge(body)) return undefined;
  try {
    const value: unknown = JSON.parse(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
