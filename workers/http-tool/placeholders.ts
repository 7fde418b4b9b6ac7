import { placeholder } from '../../src/sdk/http-spec.js';
import { HttpToolError } from './error.js';

type Fields = Readonly<Record<string, unknown>>;

/** A URL template with the input's fields in place, each URL-encoded. */
export function fillUrl(template: string, fields: Fields): string {
  const filled = fillTemplate(template, fields);
  // Encoding leaves dots alone, and a URL resolves them: "..", from an input, would reach another path.
  if (depth(filled) !== depth(template.replace(placeholder, 'x'))) throw new HttpToolError('PlaceholderInvalid', `The input would change the path of ${template}`);
  return filled;
}

/** A template with the input's fields in place, each URL-encoded. */
export function fillTemplate(template: string, fields: Fields): string {
  return template.replace(placeholder, (_match, name: string) => encoded(name, Object.hasOwn(fields, name) ? fields[name] : undefined));
}

function encoded(name: string, value: unknown): string {
  if (value === undefined || value === null) throw new HttpToolError('PlaceholderMissing', `The input has no "${name}", which the request needs`);
  if (typeof value === 'object') throw new HttpToolError('PlaceholderInvalid', `The input's "${name}" is ${Array.isArray(value) ? 'a list' : 'an object'}; a request takes text, numbers and booleans there`);
  try {
    return encodeURIComponent(value as string | number | boolean);
  } catch {
    throw new HttpToolError('PlaceholderInvalid', `The input's "${name}" is no whole Unicode text`);
  }
}

function depth(url: string): number {
  return new URL(url).pathname.split('/').length;
}
