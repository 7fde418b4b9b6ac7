/**
 * Every reason why running pack code gave no result: when it happens and whose fault it is.
 * The wire's error codes, their types and their documentation all come from this table.
 */
export const errorCodes = {
  'malformed-message': { fault: 'caller', when: 'The body is not JSON, or a required field is missing or of the wrong type.' },
  'unknown-protocol-version': { fault: 'caller', when: '`v` is not 2.' },
  'unexpected-message-kind': { fault: 'caller', when: '`kind` is neither `invoke` nor `check-invoke`.' },
  'tool-not-in-pack': { fault: 'caller', when: 'The index names no tool of that id.' },
  'check-not-in-pack': { fault: 'caller', when: 'The index names no check of that id.' },
  'tool-version-mismatch': { fault: 'caller', when: 'The index has the tool in other versions, or in several and the message names none.' },
  'input-validation-failed': { fault: 'caller', when: "The input breaks the tool's input schema, or the config the check's." },
  'output-validation-failed': { fault: 'pack', when: "The handler's return value breaks the output schema, or JSON cannot carry it." },
  'handler-import-failed': { fault: 'pack', when: 'The module could not be loaded.' },
  'handler-shape-invalid': { fault: 'pack', when: 'The module exports no handler.' },
  'check-shape-invalid': { fault: 'pack', when: 'The module exports no check, or the check answered no object with a boolean `passed`.' },
  'handler-throw': { fault: 'pack', when: 'Pack code threw, ended its thread, or passed one of its limits; `cause` says which.' },
  'connection-rejected': { fault: 'caller', when: "An app refused the token of a connection that the tool was given; a new token may do." },
  'pause-not-available': { fault: 'caller', when: 'The tool pauses, and the call brought no wait token to pause with.' },
  'deadline-exceeded': { fault: 'caller', when: 'The deadline passed before there was a result.' },
  cancelled: { fault: 'caller', when: 'The caller closed the connection, or the service had to stop.' },
} as const satisfies Record<string, { fault: 'caller' | 'pack'; when: string }>;

/** The code of an error message. */
export type ErrorCode = keyof typeof errorCodes;

/** Why a call ended before its handler did. */
export type CancelReason = Extract<ErrorCode, 'deadline-exceeded' | 'cancelled'>;

/** How a call came out, as its record says. */
export type CallOutcome = 'ok' | ErrorCode;
