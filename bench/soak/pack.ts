import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ledgerIn } from './tools/call.js';

/** The generated pack, and the folder that its runs and the soak share. */
export interface SoakPack {
  readonly indexPath: string;
  /** The built tools. */
  readonly moduleRoot: string;
  readonly shared: string;
}

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const memory = { limits: { memMB: 64 } };
const object = (properties: Schema): Schema => ({ type: 'object', properties, required: Object.keys(properties) });

/** What a tool takes and gives beside the nonce, and what its index entry says more. */
interface ToolSketch {
  readonly input?: Schema;
  readonly output?: Schema;
  readonly more?: Schema;
}

const tools: Readonly<Record<string, ToolSketch>> = {
  echo: { input: { text }, output: { text } },
  wait: { input: { ms: count } },
  burn: { input: { turns: count }, output: { hash: { type: 'integer' } } },
  loop: {},
  pattern: {},
  'atomics-wait': {},
  deaf: { input: { ms: count } },
  exit: { input: { code: count } },
  change: { input: { what: text } },
  'fill-heap': { more: memory },
  'fill-buffers': { more: memory },
  'over-cpu': { more: { limits: { cpuMs: 150 } } },
  throw: { input: { what: text } },
  'late-fault': { input: { how: text, ms: count } },
  output: { input: { what: text } },
  flood: { input: { stream: text, mebibytes: count } },
  patch: { input: { what: text } },
  strict: { output: { before: count }, more: { sandbox: 'strict' } },
  'leave-child': { input: { seconds: count, detached: { type: 'boolean' } } },
  gather: {},
};

const index = {
  v: 1,
  packId: 'soak',
  packVersion: '1.0.0',
  artifactVersion: 'soak-1',
  publishedAt: '2026-01-01T00:00:00.000Z',
  tools: Object.entries(tools).map(([name, { input, output, more }]) => ({
    id: `soak.${name}`,
    version: '1.0.0',
    input: object({ nonce: text, ...input }),
    output: object({ nonce: text, ...output }),
    modulePath: `${name}.js`,
    ...more,
  })),
  guardrails: [
    { id: 'soak.check', kind: 'zero-llm', action: { type: 'block' }, checkModulePath: 'check.js', configSchema: object({ nonce: text, least: count }) },
  ],
  agents: [],
  flows: [],
  env: { required: ['SOAK_FOLDER'], optional: [] },
};

export const { artifactVersion } = index;

/** Writes the pack to a temporary folder for as long as `work` takes. */
export async function withSoakPack<T>(work: (pack: SoakPack) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'packhost-soak-'));
  try {
    const shared = join(folder, 'shared');
    const indexPath = join(folder, 'index.json');
    await mkdir(shared);
    await writeFile(ledgerIn(shared), '');
    await writeFile(indexPath, JSON.stringify(index, null, 2));
    return await work({ indexPath, moduleRoot: fileURLToPath(new URL('./tools/', import.meta.url)), shared });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
