import type { IndexFile } from './index-file.js';

/** What the platforms that run pack services set, and what their SDKs read to find their credentials' place. */
const platformNames = new Set(
  `PATH HOME HOSTNAME USER LANG LANGUAGE TZ TMPDIR TMP TEMP PWD SHLVL _
  NODE_ENV NODE_VERSION YARN_VERSION NODE_OPTIONS NODE_EXTRA_CA_CERTS VIRTUAL_ENV PORT
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  K_SERVICE K_REVISION K_CONFIGURATION
  AWS_REGION AWS_DEFAULT_REGION AWS_EXECUTION_ENV
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_CONTAINER_CREDENTIALS_FULL_URI
  AWS_CONTAINER_AUTHORIZATION_TOKEN AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN ECS_CONTAINER_METADATA_URI ECS_CONTAINER_METADATA_URI_V4
  IDENTITY_ENDPOINT IDENTITY_HEADER MSI_ENDPOINT MSI_SECRET
  AZURE_CLIENT_ID AZURE_TENANT_ID AZURE_FEDERATED_TOKEN_FILE AZURE_AUTHORITY_HOST`.split(/\s+/),
);
const platformPrefixes = ['KINDGI_', 'LC_', 'PYTHON', 'OTEL_', 'CLOUD_RUN_', 'CONTAINER_APP_'];

/** The variable that holds the token; pack code never sees it, filter or not. */
export const tokenName = 'KINDGI_PACK_SERVICE_TOKEN';

/** A process environment as data; `process.env` is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What reaches pack code, and the names that did not. */
export interface PackEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly dropped: readonly string[];
}

/** Keeps the declared names, Kindgi's and the platform's; with the filter off, all but the token. */
export function packEnvironment(environment: Environment, { env }: Pick<IndexFile, 'env'>, filter: 'on' | 'off'): PackEnvironment {
  const declared = new Set([...(env?.required ?? []), ...(env?.optional ?? [])]);
  const reaches = (name: string): boolean =>
    filter === 'off' || declared.has(name) || platformNames.has(name) || platformPrefixes.some((prefix) => name.startsWith(prefix));
  const variables: Record<string, string> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (name === tokenName || value === undefined) continue;
    if (reaches(name)) variables[name] = value;
    else dropped.push(name);
  }
  return { variables, dropped: dropped.sort() };
}

/** The required names that are unset or empty, sorted. */
export function missingNames(environment: Environment, index: IndexFile): string[] {
  return [...new Set(index.env?.required ?? [])].filter((name) => !environment[name]).sort();
}
