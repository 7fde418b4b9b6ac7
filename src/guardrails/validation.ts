import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Issue } from '../protocol/messages.js';

/** Answers everything that is wrong with a value. */
export type Validate = (value: unknown) => readonly Issue[];

// ajv-formats is CommonJS: its plugin is the default export of its default export.
const addFormats = addFormatsModule.default;
const maxIssues = 100;
const compiled = new WeakMap<object, Validate>();
const ajv = new Ajv2020({ allErrors: true, strict: false, ownProperties: true, addUsedSchema: false, logger: false });
addFormats(ajv);

/** Compiles a JSON Schema 2020-12, each once; throws an Error that says what is wrong with one that does not compile. */
export function validatorOf(schema: object | boolean): Validate {
  if (typeof schema === 'boolean') return () => (schema ? [] : [{ instancePath: '', message: 'must not be there' }]);
  const known = compiled.get(schema);
  if (known) return known;
  const check = ajv.compile(schema);
  const validate: Validate = (value) => (check(value) ? [] : (check.errors ?? []).filter(({ keyword }) => keyword !== 'if').slice(0, maxIssues).map(issueOf));
  compiled.set(schema, validate);
  return validate;
}

/** Ajv's issue at the place of the key that is meant, with the values that would do. */
function issueOf({ instancePath, schemaPath, keyword, params, message = `must pass ${keyword}` }: ErrorObject): Issue {
  const details = params as Record<string, unknown>;
  const issue = { instancePath, schemaPath, keyword, params: details, message };
  switch (keyword) {
    case 'additionalProperties':
      return { ...issue, instancePath: `${instancePath}/${escape(String(details['additionalProperty']))}`, message: 'is no known key' };
    case 'enum':
      return { ...issue, message: `must be one of ${(details['allowedValues'] as unknown[]).map(String).join(', ')}` };
    case 'type':
      return { ...issue, message: `must be ${[details['type']].flat().join(' or ')}` };
    case 'false schema':
      return { ...issue, message: 'must not be there' };
    default:
      return issue;
  }
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
