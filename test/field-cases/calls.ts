import type http from 'node:http';
import type { Test } from 'tap';
import { errorOf, outputOf, turnedAway } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { type AnswerBody, type HttpAnswer, type RunningService, ids, toolCall, until } from '../running-service.js';

/** Far beyond what any of these calls takes: an answer with another code came before it. */
export const farDeadline = { 'kindgi-timeout-ms': '25000' };

/** A deadline as a request says it. */
export const deadline = (ms: number): http.OutgoingHttpHeaders => ({ 'kindgi-timeout-ms': String(ms) });

/** The context of a call that its records can be told by. */
export const named = (requestId: string): Record<string, unknown> => ({ ctx: { ...ids, requestId } });

/** The message of a call that is meant to fail with a code of its own. */
export function failure(answer: HttpAnswer, code: string): AnswerBody {
  const error = errorOf(answer);
  if (error.code !== code) throw new Error(`expected ${code}, got ${answer.text.slice(0, 500)}`);
  return error;
}

/** A call whose caller can leave. */
export interface LeavingCall {
  /** The answer, or 'gone' when the caller left before it. */
  readonly answer: Promise<HttpAnswer | 'gone'>;
  /** Resolves when all of the request has been handed to the network. */
  readonly sent: Promise<void>;
  readonly hangUp: () => void;
}

export function leavingCall(service: RunningService, message: unknown, headers: http.OutgoingHttpHeaders = farDeadline): LeavingCall {
  let left = false;
  let hangUp = (): void => {};
  let answer: Promise<HttpAnswer | 'gone'> = Promise.resolve('gone');
  const sent = new Promise<void>((resolve) => {
    const onRequest = (request: http.ClientRequest): void => {
      request.once('finish', resolve);
      hangUp = () => {
        left = true;
        request.destroy();
      };
    };
    answer = service.invoke(message, headers, { onRequest }).catch((error: unknown) => {
      if (left) return 'gone' as const;
      throw error;
    });
  });
  return { answer, sent, hangUp: () => hangUp() };
}

/**
 * The whole capacity is there: as many calls as the cap allows run side by side, and one more is refused.
 * A thread that was lost, or a call that is still counted as running, would show here.
 */
export async function hasWholeCapacity(t: Test, service: RunningService, cap: number): Promise<void> {
  await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready');
  const held = Array.from({ length: cap }, () => hold(t, service));
  await Promise.all(held.map((call) => call.running()));
  turnedAway(t, await service.invoke(toolCall('echo')), 'overloaded');
  for (const call of held) call.release();
  for (const call of held) t.strictSame(outputOf(await call.answer), { released: true }, 'a call within the cap ran');
}
