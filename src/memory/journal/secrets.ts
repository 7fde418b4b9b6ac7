/** What stands where a secret was. */
const mark = '[secret]';
/** Shorter ones would be found in ordinary words. */
const shortest = 6;

/** The secrets that a call's context carries: none of them is journalled, wherever pack code puts it. */
export function secretsOf(context: unknown): readonly string[] {
  if (typeof context !== 'object' || context === null) return [];
  const { secrets, connections, waitToken, toolFiles } = context as Readonly<Record<string, unknown>>;
  const found: string[] = [];
  for (const holder of [secrets, connections, waitToken, toolFiles]) gather(holder, found, holder === secrets);
  // The longest first: one may be part of another.
  return [...new Set(found)].filter((secret) => secret.length >= shortest).sort((one, other) => other.length - one.length);
}

const secretNames = new Set(['accessToken', 'refreshToken', 'token', 'secret', 'password', 'apiKey']);

function gather(value: unknown, found: string[], isSecret: boolean): void {
  if (typeof value === 'string') {
    if (isSecret) found.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, child] of Object.entries(value)) gather(child, found, isSecret || secretNames.has(name));
  }
}

/** A value with every secret taken out of its texts and names. */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, mark), value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [withoutSecrets(name, secrets), withoutSecrets(child, secrets)]));
}
