import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { validateFunctionOf } from './validator-code.js';

/** packhost's own schemas that a start needs: that of a pack's index, and that of schemas themselves, of draft 2020-12. */
export type OwnSchema = 'index' | 'json-schema';

/** The code of each, beside this file: `packs/build-own-schemas.ts` writes it. */
export const ownSchemasFile = new URL('own-schemas.json', import.meta.url);

let codes: Readonly<Record<OwnSchema, string>> | undefined;
const made: Partial<Record<OwnSchema, ValidateFunction>> = {};

/**
 * Answers what of a value breaks one of packhost's own schemas; nothing when it is valid. They are compiled
 * when packhost is built: at a start that takes longer than all else, and loads the compiler before anything else can begin.
 */
export function ownSchemaErrors(name: OwnSchema, value: unknown): readonly ErrorObject[] {
  const validate = (made[name] ??= make(name));
  return validate(value) ? [] : (validate.errors ?? []);
}

function make(name: OwnSchema): ValidateFunction {
  codes ??= JSON.parse(readFileSync(ownSchemasFile, 'utf8')) as Readonly<Record<OwnSchema, string>>;
  return validateFunctionOf(codes[name]);
}
