import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, packEnvironment } from '../packs/environment.js';
import type { IndexFile } from '../packs/index-file.js';
import { checkIndex } from '../packs/load-index.js';
import { type BundleMap, isInside } from '../packs/modules.js';
import { readConfig } from './config.js';
import { discover } from './discover.js';
import { type Artifact, indexText, nameArtifact, type PackIndex, packIndex, type SourceDefinition } from './pack-index.js';
import { checkDefinition, checkTogether } from './pack-rules.js';
import { type Problem, sortProblems, SourcesRefused } from './problem.js';
import { readFiles } from './read-files.js';

/** What a pack's sources are read with. */
export interface IndexOptions {
  readonly artifact: Artifact;
  /** The environment the pack's code may get as it is read; what its config does not declare is dropped. */
  readonly environment: Environment;
  readonly envFilter: 'on' | 'off';
  /** How long one file may take to load, in milliseconds. */
  readonly loadTimeoutMs: number;
  /** Gives the reading up. */
  readonly signal?: AbortSignal | undefined;
  /** Source path → bundle path; the index then names the bundles. */
  readonly bundleMap: BundleMap;
}

/** An index, and what was found on the way; with an error among the problems it must not be used. */
export interface IndexedPack {
  /** Absent when there is no config to go by. */
  readonly index: PackIndex | undefined;
  readonly problems: readonly Problem[];
}

/** Reads a pack's sources and makes its index. Goes on after a problem, to report all of them at once. */
export async function indexPack(folder: string, options: IndexOptions): Promise<IndexedPack> {
  const { environment, envFilter, loadTimeoutMs, artifact, bundleMap, signal } = options;
  const reading = (env?: PackIndex['env']): Parameters<typeof readFiles>[1] => ({ environment: packEnvironment(environment, env === undefined ? {} : { env }, envFilter).variables, loadTimeoutMs, signal });
  const { config, problems } = await readConfig(folder, reading());
  if (config === undefined) return { index: undefined, problems };
  const found = await discover(folder, config);
  const read = await readFiles(found.files, reading(config.env));
  const definitions = read.flatMap(({ path, definitions }) => definitions.map((definition): SourceDefinition => ({ file: path, definition: withVersion(definition, config.pack.version) })));
  const ofReading = read.flatMap(({ path, problems }) => problems.map((problem) => ({ file: path, ...problem })));
  const index = packIndex(config, definitions, artifact, (file) => bundleMap.get(file) ?? file);
  return {
    index,
    problems: sortProblems([
      ...problems,
      ...found.problems,
      ...ofReading,
      ...definitions.flatMap((each) => checkDefinition(each, config.pack.id)).filter((problem) => !ofReading.some((told) => isSamePlace(told, problem))),
      ...checkTogether(definitions),
      ...(await checkBundles(folder, definitions, bundleMap)),
    ]),
  };
}

/** Whether something was found that stops the pack. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** What could not be read is missing for that reason alone. */
function isSamePlace(a: Problem, b: Problem): boolean {
  return a.severity === 'error' && a.file === b.file && a.entry === b.entry && a.field === b.field;
}

/** A tool without a version has the pack's, and so has one that an agent or a flow's node refers to. */
function withVersion({ kind, fields, ...rest }: SourceDefinition['definition'], version: string): SourceDefinition['definition'] {
  const pinned = (reference: unknown): unknown => (isObject(reference) ? { version, ...reference } : reference);
  const { tools, nodes } = fields;
  if (kind === 'tool') return { ...rest, kind, fields: { version, ...fields } };
  if (kind === 'agent' && Array.isArray(tools)) return { ...rest, kind, fields: { ...fields, tools: tools.map(pinned) } };
  if (kind === 'flow' && Array.isArray(nodes)) return { ...rest, kind, fields: { ...fields, nodes: nodes.map((node: unknown) => (isObject(node) && 'ref' in node ? { ...node, ref: pinned(node['ref']) } : node)) } };
  return { ...rest, kind, fields };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

async function checkBundles(folder: string, definitions: readonly SourceDefinition[], bundleMap: BundleMap): Promise<Problem[]> {
  const files = new Set(definitions.map(({ file }) => file));
  const problems: Problem[] = [];
  for (const [source, bundle] of bundleMap) {
    if (!files.has(source)) continue;
    const found = isInside(folder, bundle) ? await stat(join(folder, bundle)).catch(() => undefined) : undefined;
    if (found?.isFile() !== true) problems.push({ severity: 'error', file: source, field: '', rule: 'bundle-map', message: `its bundle is not in the pack: ${bundle}`, hint: 'bundle first; the map names files below the pack' });
  }
  return problems;
}

/** How pack code is held while its sources are read. */
export interface MakeOptions extends Omit<IndexOptions, 'artifact' | 'bundleMap'> {
  /** The artifact version before: that of an index made here is another one. */
  readonly replaces?: string | undefined;
}

/** Makes the index of a folder's sources in memory, and checks it like one that was read. Throws SourcesRefused with every problem. */
export async function makeIndex(folder: string, options: MakeOptions): Promise<IndexFile> {
  const { index, problems } = await indexPack(folder, { ...options, artifact: nameArtifact({}, options.replaces), bundleMap: new Map() });
  if (index === undefined || hasErrors(problems)) throw new SourcesRefused(problems);
  return checkIndex(JSON.parse(indexText(index)), folder);
}
