import { compileFunction } from 'node:vm';
import type { ValidateFunction } from 'ajv';
import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';

/*
 * What the code of a compiled schema expects around it, beside `require` for what Ajv's generated code needs
 * at run time: here it is named for the compiler, and here it is provided.
 */

/** The formats by name. */
export const validatorFormats = 'packhostFormats';

/** Makes a pattern's regular expression: `(pattern, flags) => RegExp`. */
export const validatorRegExp = 'packhostRegExp';

/** The values of those names, for code that has them. */
export interface ValidatorSurroundings {
  readonly formats: Readonly<Record<string, unknown>>;
  readonly regExp: (pattern: string, flags: string) => RegExp;
}

/** Whether a pattern is a regular expression with these flags: schemas have some that hold without the `u` alone. */
export function isRegExp(pattern: string, flags = ''): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/** What Ajv's generated code requires: `equal` for const, enum and uniqueItems, `ucs2length` for the length of a string. */
const runtime: Readonly<Record<string, unknown>> = { 'ajv/dist/runtime/equal': equal, 'ajv/dist/runtime/ucs2length': ucs2length };

function require(name: string): unknown {
  if (!Object.hasOwn(runtime, name)) throw new Error(`A compiled schema requires "${name}", which ${Object.keys(runtime).join(' and ')} do not provide: add it to them`);
  return runtime[name];
}

/** The function that a compiled schema's code makes. */
export function validateFunctionOf(code: string, surroundings?: ValidatorSurroundings): ValidateFunction {
  const module = { exports: undefined as unknown };
  const run = compileFunction(code, ['module', 'require', validatorFormats, validatorRegExp], { filename: 'packhost:schema' }) as (...values: unknown[]) => void;
  run(module, require, surroundings?.formats, surroundings?.regExp);
  return module.exports as ValidateFunction;
}
