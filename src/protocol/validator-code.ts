/*
 * The names that the code of a compiled schema expects around it, beside `require` for what Ajv's
 * generated code needs at run time. The compiler writes them, workers/validators.ts provides them.
 */

/** The formats by name. */
export const validatorFormats = 'packhostFormats';

/** Makes a pattern's regular expression: `(pattern, flags) => RegExp`. */
export const validatorRegExp = 'packhostRegExp';
