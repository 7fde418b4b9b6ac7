import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A pack on disk. */
export interface Pack {
  readonly folder: string;
  readonly indexPath: string;
}

/** One tool of a pack: a handler of bench/packs/handlers, under the id `bench.HANDLER` unless it says another. */
export interface PackTool {
  readonly handler: string;
  readonly id?: string;
  readonly limits?: { readonly memMB: number; readonly cpuMs: number };
  readonly sandbox?: 'none' | 'context-isolated' | 'strict';
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

interface HandlerModule {
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
}

export const toolId = (handler: string): string => `bench.${handler}`;

/** The id of a tool's copy; the first is the tool itself. */
export const copyId = (id: string, copy: number): string => id + suffixOf(copy);

const suffixOf = (copy: number): string => (copy === 0 ? '' : `-${String(copy).padStart(4, '0')}`);

/** Tools of a large pack have schemas of their own: equal ones would be compiled once. */
const schemaOf = (schema: ObjectSchema, copy: number): ObjectSchema =>
  copy === 0 ? schema : { ...schema, properties: { [`of${suffixOf(copy)}`]: { type: 'integer', minimum: copy }, ...schema.properties } };

const modulePath = (handler: string): string => `tools/${handler}.mjs`;

/** Where a pack keeps a handler: the peers load the very same file. */
export const handlerPath = (pack: Pack, handler: string): string => join(pack.folder, modulePath(handler));

async function writePack(tools: readonly PackTool[], copies: number): Promise<Pack> {
  const folder = await mkdtemp(join(tmpdir(), 'packhost-bench-'));
  await mkdir(join(folder, 'tools'));
  const entries: unknown[] = [];
  for (const { handler, id = toolId(handler), limits, sandbox } of tools) {
    const built = new URL(`./handlers/${handler}.js`, import.meta.url);
    const { input, output } = (await import(built.href)) as HandlerModule;
    for (let copy = 0; copy < copies; copy++) {
      const path = modulePath(copyId(handler, copy));
      await copyFile(fileURLToPath(built), join(folder, path));
      entries.push({ id: copyId(id, copy), version: '1.0.0', input: schemaOf(input, copy), output: schemaOf(output, copy), modulePath: path, ...(limits ? { limits } : {}), ...(sandbox ? { sandbox } : {}) });
    }
  }
  const index = { v: 1, packId: 'bench', packVersion: '1.0.0', artifactVersion: '1', publishedAt: '2026-01-01T00:00:00.000Z', tools: entries, guardrails: [], agents: [], flows: [] };
  const indexPath = join(folder, 'index.json');
  await writeFile(indexPath, JSON.stringify(index, null, 2));
  return { folder, indexPath };
}

/** Writes a pack to a temporary folder for as long as `work` takes. `copies` gives each tool that many modules, with schemas of their own. */
export async function withPack<T>(tools: readonly PackTool[], work: (pack: Pack) => Promise<T>, copies = 1): Promise<T> {
  const pack = await writePack(tools, copies);
  try {
    return await work(pack);
  } finally {
    await rm(pack.folder, { recursive: true, force: true });
  }
}
