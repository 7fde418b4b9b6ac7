import { isBuiltInCheckId } from '../checks/index.js';
import { type Profile, profileOf } from '../isolation/profile.js';
import type { Info } from '../protocol/messages.js';
import type { CheckEntry, ModuleEntry, ThreadPack, ToolEntry } from '../threads/link/thread-pack.js';
import { EntrySchemas } from './entry-schemas.js';
import { checkIdOf, type IndexedGuardrail, type IndexedTool, type IndexFile, isHttpTool } from './index-file.js';
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
  /** Those of its entries; nothing is known of them until they are compiled. */
  readonly schemas: EntrySchemas;
}

/** Where a pack's code lies; absolute paths. */
export interface PackLocation {
  readonly moduleRoot: string;
  readonly bundleMap: string | undefined;
}

/** Opens a pack without running any of its code; throws BootError with every problem. */
export async function openPack(index: IndexFile, location: PackLocation, callsPerWorker: number): Promise<Pack> {
  const modules = await findModules(index, location.moduleRoot, await loadBundleMap(location.bundleMap));
  const schemas = new EntrySchemas();
  return { index, parts: partsOf(index, modules, schemas, callsPerWorker), schemas };
}

/** What /v1/info says of a pack, but for its environment. */
export function describePack(index: IndexFile): Omit<Info, 'missingEnv'> {
  return {
    protocol: 2,
    packId: index.packId,
    packVersion: index.packVersion,
    artifactVersion: index.artifactVersion,
    tools: index.tools.map(({ id, version }) => (version === undefined ? { id } : { id, version })),
    checks: [...calledChecks(index).keys()],
  };
}

function partsOf(index: IndexFile, modules: readonly ModuleEntry[], schemas: EntrySchemas, callsPerWorker: number): Pack['parts'] {
  const catalog = index.tools.map(({ id, version }) => ({ id, version }));
  const groups = new Map<string, { profile: Profile; tools: ToolEntry[]; checks: CheckEntry[] }>();
  const groupOf = (entry: IndexedTool | IndexedGuardrail): { tools: ToolEntry[]; checks: CheckEntry[] } => {
    const profile = profileOf(entry, callsPerWorker);
    const key = JSON.stringify(profile);
    const group = groups.get(key) ?? { profile, tools: [], checks: [] };
    groups.set(key, group);
    return group;
  };
  for (const tool of index.tools) groupOf(tool).tools.push(toolEntry(tool, schemas));
  for (const [id, guardrail] of calledChecks(index)) groupOf(guardrail).checks.push(checkEntry(id, guardrail, schemas));
  const [first = { profile: profileOf({}, callsPerWorker), tools: [], checks: [] }, ...others] = [...groups.values()].sort((a, b) => entriesOf(b) - entriesOf(a));
  const part = ({ profile, tools, checks }: typeof first): ProfiledPack => {
    const needed = new Set([...tools.filter(({ http }) => http === undefined), ...checks].map((entry) => ('modulePath' in entry ? entry.modulePath : undefined)));
    return { profile, threadPack: { tools, checks, catalog, modules: modules.filter((module) => needed.has(module.modulePath)) } };
  };
  return [part(first), ...others.map(part)];
}

function entriesOf({ tools, checks }: { tools: readonly unknown[]; checks: readonly unknown[] }): number {
  return tools.length + checks.length;
}

/**
 * The checks that can be called, by their ids, each with the guardrail that says how it is held. Guardrails
 * may share a check: the first to name it says so. One of packhost's own is called by the ids of its
 * guardrails too, where no check of the pack has that id.
 */
function calledChecks(index: IndexFile): Map<string, IndexedGuardrail> {
  const called = new Map<string, IndexedGuardrail>();
  const add = (id: string, guardrail: IndexedGuardrail): void => void (called.has(id) || called.set(id, guardrail));
  for (const guardrail of index.guardrails) add(checkIdOf(guardrail), guardrail);
  for (const guardrail of index.guardrails) if (isBuiltInCheckId(checkIdOf(guardrail))) add(guardrail.id, guardrail);
  return called;
}

function toolEntry(tool: IndexedTool, schemas: EntrySchemas): ToolEntry {
  const { id, version, modulePath, needsSpec, pauses, storesFiles, readsFiles, spec } = tool;
  return { id, version, modulePath, ...schemas.ofTool(tool), needsSpec, pauses, storesFiles, readsFiles, http: isHttpTool(tool) ? spec : undefined };
}

function checkEntry(id: string, guardrail: IndexedGuardrail, schemas: EntrySchemas): CheckEntry {
  const { id: guardrailId, checkModulePath: modulePath } = guardrail;
  const checkId = checkIdOf(guardrail);
  if (isBuiltInCheckId(checkId)) return { kind: 'built-in', id, checkId, guardrailId, modulePath, configValidator: schemas.ofBuiltIn(checkId) };
  // The index's schema asks for the module of every other check.
  return { kind: 'pack', id, guardrailId, modulePath: modulePath ?? '', ...schemas.ofCheck(id, guardrail) };
}
