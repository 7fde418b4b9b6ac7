import { type HttpSpec, placeholder } from '../../src/sdk/http-spec.js';
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

/** What authorizes a request, if anything does. It goes into the header, and is not to be seen anywhere else. */
export class Secret {
  readonly #value: string | undefined;
  /** The value as text may hold it. */
  readonly #forms: readonly string[];

  private constructor(value: string | undefined) {
    this.#value = value;
    this.#forms = value === undefined ? [] : [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), Buffer.from(value).toString('base64')])];
  }

  /** The secret that a request needs, from the call's context. Throws SecretMissing, or SecretInvalid for one that a header cannot carry. */
  static of({ authorization }: HttpSpec, secrets: Readonly<Record<string, unknown>>): Secret {
    if (authorization === undefined) return new Secret(undefined);
    const { name } = authorization.secretRef;
    const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (typeof value !== 'string' || value === '') throw new HttpToolError('SecretMissing', `The call brought no secret "${name}", which the request needs`);
    // Checked here, since the message of the header's own error would show it.
    if (!/^[\x21-\x7e]+$/.test(value)) throw new HttpToolError('SecretInvalid', `The secret "${name}" is nothing that a header can carry`);
    return new Secret(value);
  }

  authorize(headers: Headers): void {
    if (this.#value !== undefined) headers.set('authorization', `Bearer ${this.#value}`);
  }

  /** A text without the secret: a server may answer with what it was sent. */
  hide(text: string): string {
    return this.#forms.reduce((hidden, form) => hidden.replaceAll(form, '[secret]'), text);
  }
}
