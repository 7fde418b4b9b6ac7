/** How an answer with status 200 can come out: with a result, or with one of the protocol's error codes. */
export const outcomes = [
  'ok',
  'malformed-message',
  'unknown-protocol-version',
  'unexpected-message-kind',
  'tool-not-in-pack',
  'check-not-in-pack',
  'tool-version-mismatch',
  'input-validation-failed',
  'output-validation-failed',
  'handler-import-failed',
  'handler-shape-invalid',
  'check-shape-invalid',
  'handler-throw',
  'deadline-exceeded',
  'cancelled',
] as const;
export type Outcome = (typeof outcomes)[number];

export const isOutcome = (text: unknown): text is Outcome => outcomes.includes(text as Outcome);

/** How often the code of a call may have run, by how it came out. */
export type Runs = 'once' | 'at most once' | 'never';

export function runsOf(outcome: Outcome): Runs {
  switch (outcome) {
    case 'ok':
    case 'handler-throw':
    case 'output-validation-failed':
    case 'check-shape-invalid':
      return 'once';
    case 'deadline-exceeded':
    case 'cancelled':
      return 'at most once';
    default:
      return 'never';
  }
}
