import { writeFileSync } from 'node:fs';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import standaloneCodeModule from 'ajv/dist/standalone/index.js';
import { type OwnSchema, ownSchemasFile } from '../schemas/own-schemas.js';
import { indexSchema } from './index-file.js';

/*
 * The last step of a build: compiles packhost's own schemas, and writes their code where `own-schemas.ts` finds it.
 */

// It is CommonJS: what it exports is the default export of its default export.
const standaloneCode = standaloneCodeModule.default;
const options: Options = { allErrors: true, strict: false, validateFormats: false, code: { source: true } };
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

function codeOf(schema: object | string, more: Options): string {
  const ajv = new Ajv2020({ ...options, ...more });
  const validate = typeof schema === 'string' ? ajv.getSchema(schema) : ajv.compile(schema);
  if (validate === undefined) throw new Error(`Ajv does not know ${JSON.stringify(schema)}`);
  return standaloneCode(ajv, validate);
}

const codes: Record<OwnSchema, string> = {
  index: codeOf(indexSchema, { validateSchema: false, ownProperties: true }),
  'json-schema': codeOf(draft2020, {}),
};
writeFileSync(ownSchemasFile, JSON.stringify(codes));
