import { expected, fields, isRecord, type Kind, list, oneOf, optional, text, wholeNumber } from './kinds.js';

/** What the runtime does when a guardrail fires; other names than these need a handler of the runtime's own. */
export type ActionName = 'halt' | 'retry' | 'escalate' | 'log-only' | 'compensate' | (string & Record<never, never>);

/** An action in full. */
export interface GuardrailAction {
  readonly 'on-violation': ActionName;
  /** For `retry`: the answers that may fail, the first one included; 1 to 10. */
  readonly retry?: { readonly maxAttempts: number };
  /** For `escalate`: a reviewer's role, or a queue. */
  readonly escalateTo?: string;
  /** For `compensate`: the tool to call. */
  readonly compensateWith?: string;
}

/** When a guardrail applies; an empty list means all. */
export interface GuardrailScope {
  readonly when?: 'always' | 'ci-only' | 'runtime-only';
  readonly agents?: readonly string[];
  readonly flows?: readonly string[];
  readonly tenants?: readonly string[];
}

const shape = fields({ 'on-violation': text, retry: optional(fields({ maxAttempts: wholeNumber(1, 10) })), escalateTo: optional(text), compensateWith: optional(text) });

/** The kind of an action. */
export const action: Kind = (value, place) => [
  ...shape(value, place),
  ...(isRecord(value) && value['on-violation'] === 'retry' && value['retry'] === undefined ? [expected('{ maxAttempts }', undefined, `${place}.retry`)] : []),
];

/** The kind of a scope. */
export const scope = fields({ when: optional(oneOf('always', 'ci-only', 'runtime-only')), agents: optional(list(text)), flows: optional(list(text)), tenants: optional(list(text)) });

/** The action of a name alone; a retry allows two failed answers. */
export function actionOf(name: ActionName): GuardrailAction {
  return name === 'retry' ? { 'on-violation': name, retry: { maxAttempts: 2 } } : { 'on-violation': name };
}
