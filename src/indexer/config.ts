import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configNames, findConfig } from '../packs/locate.js';
import type { DefinitionKind, FileProblem } from '../threads/link/definitions.js';
import { byCodeUnits, type Problem } from './problem.js';
import { type ReadOptions, readFiles } from './read-files.js';
import { checkShape } from './shape.js';

/** A pack's config, checked, with its defaults. */
export interface PackConfig {
  readonly file: string;
  readonly pack: { readonly id: string; readonly version: string };
  /** The pattern of each kind. */
  readonly discovery: Readonly<Record<DefinitionKind, string>>;
  /** Kinds whose pattern the config names itself. */
  readonly chosen: readonly DefinitionKind[];
  readonly env: { readonly required: readonly string[]; readonly optional: readonly string[] } | undefined;
}

/** The kinds and what a config calls their patterns. */
export const folders: Readonly<Record<DefinitionKind, string>> = { tool: 'tools', guardrail: 'guardrails', agent: 'agents', flow: 'flows' };
export const kinds = Object.keys(folders) as DefinitionKind[];

interface ConfigFields {
  readonly pack: { readonly id: string; readonly version: string };
  readonly discovery?: Readonly<Record<string, string>>;
  readonly env?: { readonly required?: readonly string[]; readonly optional?: readonly string[] };
}

/** Reads a pack's config; undefined, with problems, where there is none to be had. */
export async function readConfig(folder: string, options: ReadOptions): Promise<{ readonly config: PackConfig | undefined; readonly problems: readonly Problem[] }> {
  const file = findConfig(folder);
  if (file === undefined) {
    const hint = 'run this in a pack, name its folder, or make one with packhost init';
    return { config: undefined, problems: [{ severity: 'error', file: '', field: '', rule: 'config', message: `${folder} has none of ${configNames.join(', ')}`, hint }] };
  }
  const [read] = await readFiles([{ path: file, url: pathToFileURL(join(folder, file)).href, holds: 'config' }], options);
  const fields = read?.definitions[0]?.fields as ConfigFields | undefined;
  const found: FileProblem[] = [...(read?.problems ?? [])];
  if (fields !== undefined) found.push(...checkShape('config', fields), ...namesInBoth(fields));
  const problems = found.map((problem) => ({ file, ...problem }));
  if (fields === undefined || problems.some(({ severity }) => severity === 'error')) return { config: undefined, problems };
  return { config: withDefaults(file, fields), problems };
}

function withDefaults(file: string, { pack, discovery = {}, env }: ConfigFields): PackConfig {
  const patterns = kinds.map((kind) => [kind, discovery[folders[kind]] ?? `${folders[kind]}/**`] as const);
  return {
    file,
    pack: { id: pack.id, version: pack.version },
    discovery: Object.fromEntries(patterns) as Record<DefinitionKind, string>,
    chosen: kinds.filter((kind) => discovery[folders[kind]] !== undefined),
    env: env === undefined ? undefined : { required: sorted(env.required), optional: sorted(env.optional) },
  };
}

function sorted(names: readonly string[] = []): string[] {
  return [...new Set(names)].sort(byCodeUnits);
}

function namesInBoth({ env }: ConfigFields): FileProblem[] {
  const names = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
  const both = names(env?.required).filter((name) => names(env?.optional).includes(name));
  return both.map((name) => ({ severity: 'error', field: 'env', rule: 'env-in-both', message: `has ${JSON.stringify(name)} both as required and as optional`, hint: 'take it out of one' }));
}
