/** A task of the Piscina peer: parses a call, validates its input, runs it, validates its output, and returns the response as text. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { answer, input, output } from './handler.mjs';

// The draft and the checks are those that packhost compiles a pack's schemas with.
const ajv = new Ajv2020({ allErrors: true, ownProperties: true });

const validator = (schema) => {
  const isValid = ajv.compile(schema);
  return (value) => {
    if (!isValid(value)) throw new TypeError(ajv.errorsText(isValid.errors));
  };
};

const validateInput = validator(input);
const validateOutput = validator(output);

export default async (body) => {
  const message = JSON.parse(body);
  validateInput(message.input);
  const result = await answer(message);
  validateOutput(result.output);
  return JSON.stringify(result);
};
