import { type Profile, profileOf } from '../isolation/profile.js';
import { isBuiltInCheckId } from '../protocol/built-in-checks.js';
import type { Info } from '../protocol/messages.js';
import type { CheckEntry, ModuleEntry, ThreadPack, ToolEntry } from '../protocol/threads.js';
import type { IndexedGuardrail, IndexedTool, IndexFile } from './index-file.js';
import { loadIndex } from './load-index.js';
import { findModules, loadBundleMap } from './modules.js';

/** The entries of a pack that are held in the same way. */
export interface ProfiledPack {
  readonly profile: Profile;
  readonly threadPack: ThreadPack;
}

/** A pack whose index and files have been found in order; none of its code has run. */
export interface Pack {
  readonly index: IndexFile;
  /** By profile, that of the most entries first; a pack without entries has one, which is empty. */
  readonly parts: readonly [ProfiledPack, ...ProfiledPack[]];
}

/** Where a pack's parts lie; absolute paths. */
export interface PackLocation {
  readonly index: string;
  readonly moduleRoot: string;
  readonly bundleMap: string | undefined;
}

/** Opens a pack without running any of its code; throws BootError with every problem. */
export async function openPack(location: PackLocation, callsPerWorker: number): Promise<Pack> {
  const index = await loadIndex(location.index);
  const modules = await findModules(index, location.moduleRoot, await loadBundleMap(location.bundleMap));
  return { index, parts: partsOf(index, modules, callsPerWorker) };
}

/** What /v1/info says of a pack, but for its environment. */
export function describePack(index: IndexFile): Omit<Info, 'missingEnv'> {
  return {
    protocol: 2,
    packId: index.packId,
    packVersion: index.packVersion,
    artifactVersion: index.artifactVersion,
    tools: index.tools.map(({ id, version }) => (version === undefined ? { id } : { id, version })),
    checks: calledChecks(index).map(({ entry }) => entry.id),
  };
}

function partsOf(index: IndexFile, modules: readonly ModuleEntry[], callsPerWorker: number): Pack['parts'] {
  const catalog = index.tools.map(({ id, version }) => ({ id, version }));
  const groups = new Map<string, { profile: Profile; tools: ToolEntry[]; checks: CheckEntry[] }>();
  const groupOf = (entry: IndexedTool | IndexedGuardrail): { tools: ToolEntry[]; checks: CheckEntry[] } => {
    const profile = profileOf(entry, callsPerWorker);
    const key = JSON.stringify(profile);
    const group = groups.get(key) ?? { profile, tools: [], checks: [] };
    groups.set(key, group);
    return group;
  };
  for (const tool of index.tools) groupOf(tool).tools.push(toolEntry(tool));
  for (const { guardrail, entry } of calledChecks(index)) groupOf(guardrail).checks.push(entry);
  const [first = { profile: profileOf({}, callsPerWorker), tools: [], checks: [] }, ...others] = [...groups.values()].sort((a, b) => entriesOf(b) - entriesOf(a));
  const part = ({ profile, tools, checks }: typeof first): ProfiledPack => {
    const needed = new Set([...tools, ...checks.filter((check) => check.kind === 'pack')].map((entry) => entry.modulePath));
    return { profile, threadPack: { tools, checks, catalog, modules: modules.filter((module) => needed.has(module.modulePath)) } };
  };
  return [part(first), ...others.map(part)];
}

function entriesOf({ tools, checks }: { tools: readonly unknown[]; checks: readonly unknown[] }): number {
  return tools.length + checks.length;
}

/**
 * The checks that can be called, each with the guardrail that says how it is held. Guardrails may share a
 * check: the first to name it says so. One of packhost's own is called by the ids of its guardrails too,
 * where no check of the pack has that id.
 */
function calledChecks(index: IndexFile): { readonly guardrail: IndexedGuardrail; readonly entry: CheckEntry }[] {
  const called = new Map<string, { readonly guardrail: IndexedGuardrail; readonly entry: CheckEntry }>();
  const add = (guardrail: IndexedGuardrail, entry: CheckEntry): void => void (called.has(entry.id) || called.set(entry.id, { guardrail, entry }));
  for (const guardrail of index.guardrails) add(guardrail, checkEntry(guardrail));
  for (const guardrail of index.guardrails) {
    const entry = checkEntry(guardrail);
    if (entry.kind === 'built-in') add(guardrail, { ...entry, id: guardrail.id });
  }
  return [...called.values()];
}

function toolEntry({ id, version, modulePath, input, output }: IndexedTool): ToolEntry {
  return { id, version, modulePath, input, output };
}

function checkEntry({ id: guardrailId, checkId = guardrailId, checkModulePath, configSchema }: IndexedGuardrail): CheckEntry {
  if (isBuiltInCheckId(checkId)) return { kind: 'built-in', id: checkId, checkId };
  // The index's schema asks for the module of every other check.
  return { kind: 'pack', id: checkId, guardrailId, modulePath: checkModulePath ?? '', configSchema };
}
