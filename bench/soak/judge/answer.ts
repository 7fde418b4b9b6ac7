import { isDeepStrictEqual } from 'node:util';
import type { Fate } from '../account.js';
import type { Expectation } from '../kinds/kind.js';
import { isOutcome, type Outcome } from '../outcomes.js';
import { artifactVersion } from '../pack.js';
import type { PlannedCall } from '../plan.js';
import type { Problem } from './problem.js';

/** One HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** What an answer makes of its call. */
export interface Judgement {
  readonly fate: Extract<Fate, 'answered' | 'refused' | 'turned away'>;
  readonly outcome?: Outcome;
  readonly problems: readonly Problem[];
}

type Fields = Readonly<Record<string, unknown>>;
type Unexpected = (detail: string) => void;

export const nameOf = ({ sequence, kind }: Pick<PlannedCall, 'sequence' | 'kind'>): string => `call ${sequence} (${kind})`;

/** Judges an answer by what its call expects. `ownerOf` tells whose nonce it is. */
export function judgeAnswer(call: PlannedCall, answer: Answer, ownerOf: (nonce: unknown) => number | undefined): Judgement {
  const problems: Problem[] = [];
  const unexpected: Unexpected = (detail) => problems.push({ invariant: 'expected', detail: `${nameOf(call)}: ${detail}` });
  const message = parse(answer.text);
  if (message === undefined) unexpected(`a body that is no JSON object: ${answer.text.slice(0, 100)}`);

  switch (answer.status) {
    case 200: {
      const outcome = message && judgeMessage(call, message, ownerOf, unexpected, problems);
      judgeHeaders(answer, unexpected);
      return { fate: 'answered', ...(outcome === undefined ? {} : { outcome }), problems };
    }
    case 503:
      if (!/^\d+$/.test(String(answer.headers['retry-after']))) unexpected('503 without Retry-After');
      return { fate: 'refused', problems };
    default:
      if (answer.status !== call.ask.expects.status) unexpected(`status ${answer.status}: ${answer.text.slice(0, 100)}`);
      return { fate: 'turned away', problems };
  }
}

function judgeMessage(call: PlannedCall, message: Fields, ownerOf: (nonce: unknown) => number | undefined, unexpected: Unexpected, problems: Problem[]): Outcome | undefined {
  const { expects, target } = call.ask;
  if (message['v'] !== 2) unexpected(`v is ${String(message['v'])}`);
  const outcome = outcomeOf(message, target);
  if (outcome === undefined) {
    unexpected(`no message of the protocol: ${JSON.stringify(message).slice(0, 200)}`);
    return undefined;
  }
  if (!expects.outcomes.includes(outcome)) unexpected(`${outcome} instead of ${expectationOf(expects)}: ${JSON.stringify(message).slice(0, 300)}`);
  else if (outcome === 'ok') judgeOutput(call, fieldsOf(message[target === 'tool' ? 'output' : 'result']), ownerOf, unexpected, problems);
  else judgeError(call, message, outcome, unexpected, problems);
  return outcome;
}

function judgeOutput(call: PlannedCall, output: Fields, ownerOf: (nonce: unknown) => number | undefined, unexpected: Unexpected, problems: Problem[]): void {
  const { nonce } = output;
  if (nonce !== call.nonce) {
    const owner = ownerOf(nonce);
    const whose = owner === undefined ? `${String(nonce)}, which is nobody's` : `that of call ${owner}`;
    problems.push({ invariant: 'own data', detail: `${nameOf(call)} got a crossed nonce: ${whose}` });
  }
  for (const [field, expected] of Object.entries(call.ask.expects.output ?? {})) {
    if (!isDeepStrictEqual(output[field], expected)) unexpected(`${field} is ${shown(output[field])} instead of ${shown(expected)}`);
  }
}

function judgeError({ sequence, kind, nonce, ask }: PlannedCall, message: Fields, outcome: Outcome, unexpected: Unexpected, problems: Problem[]): void {
  if (typeof message['message'] !== 'string') unexpected('an error without a message');
  const named = message[ask.target === 'tool' ? 'toolId' : 'checkId'];
  // A message that is not whole, or not of the protocol, is about no tool yet.
  if (named !== undefined && named !== ask.id) problems.push({ invariant: 'own data', detail: `${nameOf({ sequence, kind })}: the error names ${shown(named)}` });
  if (named === undefined && (outcome === 'handler-throw' || outcome === 'output-validation-failed')) unexpected(`${outcome} without an id`);
  if (outcome !== 'handler-throw') return;
  const cause = fieldsOf(message['cause']);
  const expected = ask.expects.cause ?? {};
  for (const field of ['name', 'limit'] as const) {
    if (expected[field] !== undefined && cause[field] !== expected[field]) unexpected(`cause.${field} is ${shown(cause[field])} instead of ${expected[field]}`);
  }
  if (expected.carriesNonce && !String(cause['message']).includes(nonce)) problems.push({ invariant: 'own data', detail: `${nameOf({ sequence, kind })}: cause.message is ${shown(cause['message'])}` });
}

function judgeHeaders({ headers }: Answer, unexpected: Unexpected): void {
  if (!/^\d+$/.test(String(headers['kindgi-duration-ms']))) unexpected('no kindgi-duration-ms');
  if (headers['kindgi-artifact-version'] !== artifactVersion) unexpected(`kindgi-artifact-version is ${String(headers['kindgi-artifact-version'])}`);
}

function outcomeOf(message: Fields, target: 'tool' | 'check'): Outcome | undefined {
  const { kind, code } = message;
  if (kind === (target === 'tool' ? 'result' : 'check-result')) return 'ok';
  return kind === 'error' && isOutcome(code) && code !== 'ok' ? code : undefined;
}

function expectationOf({ outcomes, status }: Expectation): string {
  return status === undefined ? outcomes.join(' or ') : `status ${status}`;
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 100);
