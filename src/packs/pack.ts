import { type Profile, profileOf } from '../isolation/profile.js';
import type { Info } from '../protocol/messages.js';
import type { CheckEntry, ModuleEntry, SchemaWarning, ThreadPack, ToolEntry } from '../protocol/threads.js';
import { EntrySchemas } from './compile-schemas.js';
import { checkIdOf, type IndexedGuardrail, type IndexedTool, type IndexFile, isHttpTool, withOwnChecks } from './index-file.js';
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
  /** What of its schemas is not understood and only annotates. */
  readonly warnings: readonly SchemaWarning[];
  /** The schemas that do not compile: the pack cannot be served, and its threads may know more reasons. */
  readonly problems: readonly string[];
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
  return { index, parts: partsOf(index, modules, schemas, callsPerWorker), warnings: schemas.warnings, problems: schemas.problems };
}

/** What /v1/info says of a pack, but for its environment. */
export function describePack(index: IndexFile): Omit<Info, 'missingEnv'> {
  return {
    protocol: 2,
    packId: index.packId,
    packVersion: index.packVersion,
    artifactVersion: index.artifactVersion,
    tools: index.tools.map(({ id, version }) => (version === undefined ? { id } : { id, version })),
    checks: firstOfEachCheck(index).map(checkIdOf),
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
  for (const guardrail of firstOfEachCheck(index)) groupOf(guardrail).checks.push(checkEntry(guardrail, schemas));
  const [first = { profile: profileOf({}, callsPerWorker), tools: [], checks: [] }, ...others] = [...groups.values()].sort((a, b) => entriesOf(b) - entriesOf(a));
  const part = ({ profile, tools, checks }: typeof first): ProfiledPack => {
    const needed = new Set([...tools.filter(({ http }) => http === undefined), ...checks].map((entry) => entry.modulePath));
    return { profile, threadPack: { tools, checks, catalog, modules: modules.filter((module) => needed.has(module.modulePath)) } };
  };
  return [part(first), ...others.map(part)];
}

function entriesOf({ tools, checks }: { tools: readonly unknown[]; checks: readonly unknown[] }): number {
  return tools.length + checks.length;
}

/** Guardrails may share a check: the first to name it says where it is and how it is held. */
function firstOfEachCheck(index: IndexFile): IndexedGuardrail[] {
  const first = new Map<string, IndexedGuardrail>();
  for (const guardrail of withOwnChecks(index)) if (!first.has(checkIdOf(guardrail))) first.set(checkIdOf(guardrail), guardrail);
  return [...first.values()];
}

function toolEntry(tool: IndexedTool, schemas: EntrySchemas): ToolEntry {
  const { id, version, modulePath, needsSpec, pauses, storesFiles, readsFiles, spec } = tool;
  return { id, version, modulePath, ...schemas.ofTool(tool), needsSpec, pauses, storesFiles, readsFiles, http: isHttpTool(tool) ? spec : undefined };
}

function checkEntry(guardrail: IndexedGuardrail, schemas: EntrySchemas): CheckEntry {
  const id = checkIdOf(guardrail);
  return { id, guardrailId: guardrail.id, modulePath: guardrail.checkModulePath, ...schemas.ofCheck(id, guardrail) };
}
