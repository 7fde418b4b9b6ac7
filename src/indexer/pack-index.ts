import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configure } from 'safe-stable-stringify';
import type { Definition, DefinitionKind } from '../threads/link/definitions.js';
import type { PackConfig } from './config.js';
import { byCodeUnits } from './problem.js';

/** A definition, and the file that declares it. */
export interface SourceDefinition {
  readonly file: string;
  readonly definition: Definition;
}

type Entry = Readonly<Record<string, unknown>>;

/** What an indexer writes: the data of every definition, and where its code is. */
export interface PackIndex {
  readonly v: 1;
  readonly packId: string;
  readonly packVersion: string;
  readonly artifactVersion: string;
  readonly publishedAt: string;
  readonly tools: readonly Entry[];
  readonly guardrails: readonly Entry[];
  readonly agents: readonly Entry[];
  readonly flows: readonly Entry[];
  readonly env?: { readonly required: readonly string[]; readonly optional: readonly string[] };
}

/** Names one build of a pack. */
export interface Artifact {
  readonly artifactVersion: string;
  /** ISO, UTC, with milliseconds. */
  readonly publishedAt: string;
}

/** Puts an index together; `modulePathOf` says where a source file's code is. */
export function packIndex(config: PackConfig, definitions: readonly SourceDefinition[], artifact: Artifact, modulePathOf: (file: string) => string): PackIndex {
  const entries = (kind: DefinitionKind): Entry[] =>
    definitions
      .filter(({ definition }) => definition.kind === kind)
      .map(({ file, definition }) => ({ ...definition.fields, [kind === 'guardrail' ? 'checkModulePath' : 'modulePath']: modulePathOf(file) }))
      .sort(byIdAndVersion);
  return {
    v: 1,
    packId: config.pack.id,
    packVersion: config.pack.version,
    ...artifact,
    tools: entries('tool'),
    guardrails: entries('guardrail'),
    agents: entries('agent'),
    flows: entries('flow'),
    ...(config.env === undefined ? {} : { env: config.env }),
  };
}

function byIdAndVersion(a: Entry, b: Entry): number {
  return byCodeUnits(text(a['id']), text(b['id'])) || byCodeUnits(text(a['version']), text(b['version']));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Names a build: its day and a number, `20261130.1`, the next one when the version that it replaces is of
 * the same day. What is given stands as it is.
 */
export function nameArtifact({ artifactVersion, publishedAt }: Partial<Artifact>, replaced: string | undefined): Artifact {
  const at = publishedAt ?? new Date().toISOString();
  return { artifactVersion: artifactVersion ?? nextVersion(at.slice(0, 10).replaceAll('-', ''), replaced), publishedAt: at };
}

function nextVersion(day: string, last: string | undefined): string {
  const [lastDay, number] = last?.split('.') ?? [];
  return `${day}.${lastDay === day && /^\d{1,9}$/.test(number ?? '') ? Number(number) + 1 : 1}`;
}

/** The version of an index file. One that is not there, or cannot be read, has none: it is about to be replaced. */
export async function artifactVersionOf(path: string): Promise<string | undefined> {
  try {
    const { artifactVersion } = JSON.parse(await readFile(path, 'utf8')) as { artifactVersion?: unknown };
    return typeof artifactVersion === 'string' ? artifactVersion : undefined;
  } catch {
    return undefined;
  }
}

// Unlike a copy with its keys put in order, it also orders keys that look like numbers.
const stringify = configure({ deterministic: true });

/** The canonical text of an index: the same source gives the same bytes. */
export function indexText(index: PackIndex): string {
  return `${stringify(index, null, 2)}\n`;
}

/** Writes a file in one step: whoever reads it finds the old one or the new one, whole. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(partial, text, { flush: true });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
