import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ValidateFunction } from 'ajv';

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

const require = createRequire(import.meta.url);

/** The function that a compiled schema's code makes. */
export function validateFunctionOf(code: string, surroundings?: ValidatorSurroundings): ValidateFunction {
  const module = { exports: undefined as unknown };
  const run = compileFunction(code, ['module', 'require', validatorFormats, validatorRegExp], { filename: 'packhost:schema' }) as (...values: unknown[]) => void;
  run(module, require, surroundings?.formats, surroundings?.regExp);
  return module.exports as ValidateFunction;
}
