import type { Test } from 'tap';
import type { AnswerBody, HttpAnswer } from './running-service.js';

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  result: ['v', 'kind', 'output'],
  'check-result': ['v', 'kind', 'result'],
  pause: ['v', 'kind', 'timeoutMs', 'name'],
  error: ['v', 'kind', 'code', 'message', 'toolId', 'checkId', 'cause', 'issues'],
};

/** The protocol message of an answer: 200, JSON, a known kind and no field that kind does not have. */
function messageOf(answer: HttpAnswer): AnswerBody {
  const { status, body, text } = answer;
  const allowed = status === 200 && typeof body === 'object' ? fieldsOf[body.kind] : undefined;
  if (!allowed || body.v !== 2) throw new Error(`no protocol message: ${status} ${text.slice(0, 300)}`);
  const unknown = Object.keys(body).filter((field) => !allowed.includes(field));
  if (unknown.length > 0) throw new Error(`fields that a ${body.kind} does not have: ${unknown.join()}`);
  return body;
}

/** The output of a call that must succeed; throws on any other answer. */
export function outputOf(answer: HttpAnswer): Record<string, unknown> {
  const message = messageOf(answer);
  if (message.kind !== 'result') throw new Error(`expected a result: ${answer.text.slice(0, 300)}`);
  return message.output as Record<string, unknown>;
}

/** The verdict of a check that must come to one; throws on any other answer. */
export function verdictOf(answer: HttpAnswer): Record<string, unknown> {
  const message = messageOf(answer);
  if (message.kind !== 'check-result') throw new Error(`expected a check-result: ${answer.text.slice(0, 300)}`);
  return message.result as Record<string, unknown>;
}

/** The error message of an answer; throws when it is none. */
export function errorOf(answer: HttpAnswer): AnswerBody & { readonly code: string; readonly message: string } {
  const message = messageOf(answer);
  const { code, message: text } = message;
  if (message.kind !== 'error' || typeof code !== 'string' || typeof text !== 'string') throw new Error(`expected an error: ${answer.text.slice(0, 300)}`);
  for (const issue of message.issues ?? []) {
    if (typeof issue['instancePath'] !== 'string' || typeof issue['message'] !== 'string') throw new Error(`an issue without its place or message: ${JSON.stringify(issue)}`);
  }
  return { ...message, code, message: text };
}

/** Asserts that a call failed with a code, and answers its message. */
export function failsWith(t: Test, answer: HttpAnswer, code: string, title: string = code): AnswerBody & { readonly code: string; readonly message: string } {
  const error = errorOf(answer);
  t.equal(error.code, code, title);
  return error;
}

/** Asserts that a call was turned away before it ran: 503, with a Retry-After of whole seconds. */
export function turnedAway(t: Test, answer: HttpAnswer, error: string): void {
  t.equal(answer.status, 503, `${error} is a 503`);
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/, 'Retry-After says in how many seconds');
  t.equal((answer.body as { error?: unknown }).error, error);
}
