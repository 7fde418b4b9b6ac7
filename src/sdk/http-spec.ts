import { expected, fields, flag, isRecord, type Kind, list, oneOf, optional, recordOf, text, wholeNumber } from './kinds.js';

/** What one HTTP request is made of; the `spec` of a tool's index entry. `{name}` in the template is the input's field of that name, URL-encoded. */
export interface HttpSpec {
  readonly kind: 'http';
  readonly method: HttpMethod;
  /** An http or https URL: `https://api.example.com/orders/{orderId}`. */
  readonly urlTemplate: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: HttpAuthorization;
  readonly requestBody?: HttpRequestBody;
  /** How long the request may take; as long as the call when left out. */
  readonly timeoutMs?: number;
  /** true when left out: the output is the answer's body as JSON, null when empty. false: as text. */
  readonly parseJson?: boolean;
  /** The lowest and the highest status that is a success; 200 and 299 when left out. */
  readonly successStatus?: readonly [least: number, most: number];
}

/** The methods of HTTP that a tool may use. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

/** `authorization: Bearer SECRET`; the secret is resolved for every call, and found in its context's `secrets` by name. */
export interface HttpAuthorization {
  readonly kind: 'bearer';
  /** `envName` is the environment that the secret is kept for, such as `local`. */
  readonly secretRef: { readonly envName?: string; readonly name: string };
}

/** The whole input as JSON, or text with `{name}` placeholders, URL-encoded. */
export type HttpRequestBody = { readonly kind: 'json-input' } | { readonly kind: 'text'; readonly template: string; readonly contentType?: string };

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const status = wholeNumber(100, 599);

const urlTemplate: Kind = (value, place) => {
  const filled = typeof value === 'string' ? value.replace(placeholder, 'x') : '';
  // A placeholder before the path could send the secret to a host that the input names.
  const host = typeof value === 'string' ? /^https?:\/\/([^/?#]*)/i.exec(value)?.[1] : undefined;
  return host !== undefined && host !== '' && !/[{}@\\]/.test(host) && URL.canParse(filled) ? [] : [expected('an http or https URL whose host has no placeholder and no user', value, place)];
};

const requestBody: Kind = (value, place) =>
  isRecord(value) && value['kind'] === 'text' ? fields({ kind: text, template: kindOfTemplate, contentType: optional(text) })(value, place) : fields({ kind: oneOf('json-input', 'text') })(value, place);

const kindOfTemplate: Kind = (value, place) => (typeof value === 'string' ? [] : [expected('text', value, place)]);

const headers: Kind = (value, place) => {
  const problems = recordOf(kindOfTemplate)(value, place);
  if (problems.length > 0 || !isRecord(value)) return problems;
  return Object.entries(value).flatMap(([name, each]) => (isHeader(name, each as string) ? [] : [`${place}.${name} is no header that HTTP can carry`]));
};

const successStatus: Kind = (value, place) => {
  const problems = list(status)(value, place);
  if (problems.length > 0) return problems;
  const [least, most, ...others] = value as readonly number[];
  return least !== undefined && most !== undefined && others.length === 0 && least <= most ? [] : [expected('the lowest and the highest status, such as [200, 299]', value, place)];
};

/** The fields of a spec but its kind. */
export const httpFields = {
  method: oneOf(...methods),
  urlTemplate,
  headers: optional(headers),
  authorization: optional(fields({ kind: oneOf('bearer'), secretRef: fields({ envName: optional(text), name: text }) })),
  requestBody: optional(requestBody),
  timeoutMs: optional(wholeNumber(1, 2 ** 31 - 1)),
  parseJson: optional(flag),
  successStatus: optional(successStatus),
};

const shape = fields({ kind: oneOf('http'), ...httpFields });

/** What is wrong with a spec, each problem by its field. */
export function httpSpecProblems(spec: unknown): string[] {
  return [...shape(spec, ''), ...bodyProblems(spec)];
}

/** A GET or HEAD carries no body. */
export function bodyProblems(spec: unknown): string[] {
  return isRecord(spec) && (spec['method'] === 'GET' || spec['method'] === 'HEAD') && spec['requestBody'] !== undefined ? [`requestBody: a ${spec['method']} has none`] : [];
}

/** `{name}` in a template. */
export const placeholder = /\{([A-Za-z_$][\w$.-]*)\}/g;

/** The names of a template's placeholders. */
export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))];
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

