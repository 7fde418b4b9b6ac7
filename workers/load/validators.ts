import type { ErrorObject, ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Issue } from '../../src/protocol/messages.js';
import { isRegExp, validateFunctionOf } from '../../src/schemas/validator-code.js';

/** Answers the issues of a value, at most 100 of them; undefined when it is valid. */
export type Validator = (value: unknown) => readonly Issue[] | undefined;

const maxIssues = 100;
const formats = { ...fullFormats, regex: (pattern: string) => isRegExp(pattern, 'u') || isRegExp(pattern) };
const made = new Map<string, Validator>();

/** Makes a validator of a compiled schema's code; equal ones are made once. */
export function validatorOf(code: string): Validator {
  const known = made.get(code);
  if (known) return known;
  const validator = issuesBy(validateFunctionOf(code, { formats, regExp }));
  made.set(code, validator);
  return validator;
}

function issuesBy(check: ValidateFunction): Validator {
  return (value) => {
    if (check(value)) return undefined;
    const errors = check.errors ?? [];
    check.errors = null;
    return errors.slice(0, maxIssues).map(issueOf);
  };
}

function issueOf({ instancePath, schemaPath, keyword, params, message }: ErrorObject): Issue {
  return { instancePath, schemaPath, keyword, params: params as Record<string, unknown>, message: message ?? `must pass ${keyword}` };
}

/** As the compiler read the pattern: with the flags, or without when it only holds so. */
function regExp(pattern: string, flags: string): RegExp {
  return new RegExp(pattern, isRegExp(pattern, flags) ? flags : '');
}
