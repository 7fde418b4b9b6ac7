import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { InvalidRecord, type RecordIssue } from '../errors.js';
import type { Fact, NewFact } from './fact.js';
import type { LogEntry, NewLogEntry } from './log-entry.js';
import { schemas } from './schema.js';
import type { Scope } from './scope.js';

// The schemas are our own: without the draft's schema, which would judge them, a process starts twice as fast.
const ajv = new Ajv2020({ allErrors: true, strict: false, ownProperties: true, meta: false, validateSchema: false });
// ajv-formats is CommonJS: its plugin is the default export of its default export.
addFormatsModule.default(ajv);

function checker<T>(what: string, schema: object): (value: unknown) => asserts value is T {
  // Compiled when it is first needed: most processes need few of them.
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    const issues = validate(value) ? [] : (validate.errors ?? []).map(issueOf);
    if (issues.length === 0) issues.push(...unstorable(value, ''));
    if (issues.length > 0) throw new InvalidRecord(what, issues);
  };
}

/** Each throws InvalidRecord, with every issue and the field it is at. */
export const checkScope: (value: unknown) => asserts value is Scope = checker('scope', schemas.scope);
export const checkLogEntry: (value: unknown) => asserts value is LogEntry = checker('log entry', schemas.logEntry);
export const checkNewLogEntry: (value: unknown) => asserts value is NewLogEntry = checker('log entry', schemas.newLogEntry);
export const checkFact: (value: unknown) => asserts value is Fact = checker('fact', schemas.fact);
export const checkNewFact: (value: unknown) => asserts value is NewFact = checker('fact', schemas.newFact);

function issueOf({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): RecordIssue {
  const own = keyword === 'required' ? String(params['missingProperty']) : keyword === 'additionalProperties' ? String(params['additionalProperty']) : undefined;
  const field = [...instancePath.split('/').slice(1), ...(own === undefined ? [] : [own])].join('.');
  if (keyword === 'required') return { field, message: 'is required' };
  if (keyword === 'additionalProperties') return { field, message: 'is no field of this record' };
  if (keyword === 'enum') return { field, message: `must be one of ${(params['allowedValues'] as string[]).join(', ')}` };
  return { field, message };
}

/** PostgreSQL's text holds no NUL, and UTF-8 no half of a surrogate pair. Payloads are JSON, which escapes both or is refused. */
const notText = /\0|\p{Surrogate}/u;

function unstorable(value: unknown, field: string): RecordIssue[] {
  if (typeof value === 'string') return notText.test(value) ? [{ field, message: 'must be text without NUL and half surrogate pairs' }] : [];
  if (typeof value !== 'object' || value === null) return [];
  const issues: RecordIssue[] = [];
  for (const key of Object.keys(value)) {
    if (field === '' && (key === 'payload' || key === 'content')) continue;
    issues.push(...unstorable((value as Record<string, unknown>)[key], field === '' ? key : `${field}.${key}`));
  }
  return issues;
}
