import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { examplePack, importExample } from './example-pack.js';

type Entry = Readonly<Record<string, unknown>> & { readonly id: string };
type Definition = Entry & { readonly check?: Entry; readonly handler?: unknown };

interface Config {
  readonly pack: { readonly id: string; readonly version: string };
  readonly env: { readonly required: readonly string[]; readonly optional: readonly string[] };
}

/** The default exports of a folder's modules, with the path an index names them by. */
async function definitions(folder: string): Promise<[modulePath: string, definition: Definition][]> {
  const names = (await readdir(join(examplePack, folder))).filter((name) => name.endsWith('.mjs'));
  const paths = names.map((name) => `${folder}/${name}`);
  return Promise.all(paths.map(async (path): Promise<[string, Definition]> => [path, (await importExample<{ default: Definition }>(path)).default]));
}

function inOrderOfId(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((one, other) => (one.id < other.id ? -1 : 1));
}

function toolEntry(t: Test, modulePath: string, { handler, ...declared }: Definition, packVersion: string): Entry {
  t.type(handler, 'function', `${modulePath} has a handler`);
  return { version: packVersion, ...declared, modulePath };
}

function guardrailEntry(t: Test, checkModulePath: string, { check, ...declared }: Definition): Entry {
  t.type(check?.['evaluate'], 'function', `${checkModulePath} has a check`);
  return { configSchema: check?.['configSchema'], ...declared, checkId: check?.id, checkModulePath };
}

/** JSON with keys sorted at every level, two spaces and a trailing newline. */
function canonical(value: unknown): string {
  const sorted = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  }, 2);
  return `${sorted}\n`;
}

t.test('the index is what its modules and its config say, byte for byte', async (t) => {
  const { default: config } = await importExample<{ default: Config }>('kindgi.config.mjs');
  const tools = await definitions('tools');
  const guardrails = await definitions('guardrails');
  const written = await readFile(join(examplePack, 'index.json'), 'utf8');
  const { artifactVersion, publishedAt } = JSON.parse(written) as { artifactVersion: string; publishedAt: string };

  t.match(publishedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.match(artifactVersion, /./);
  t.equal(written, canonical({
    v: 1,
    packId: config.pack.id,
    packVersion: config.pack.version,
    artifactVersion,
    publishedAt,
    env: config.env,
    tools: inOrderOfId(tools.map(([path, definition]) => toolEntry(t, path, definition, config.pack.version))),
    guardrails: inOrderOfId(guardrails.map(([path, definition]) => guardrailEntry(t, path, definition))),
    agents: [],
    flows: [],
  }));
});
