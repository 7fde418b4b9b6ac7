import type { HttpSpec } from '../../src/sdk/http-spec.js';
import { HttpToolError } from './error.js';

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
