import type { CheckEntry, ThreadPack, ToolEntry } from '../protocol/threads.js';
import type { Info } from '../protocol/messages.js';
import type { IndexFile } from './index-file.js';
import { loadIndex } from './load-index.js';
import { findModules, loadBundleMap } from './modules.js';

/** A pack whose index and files have been found in order; none of its code has run. */
export interface Pack {
  readonly index: IndexFile;
  /** What each worker thread loads. */
  readonly threadPack: ThreadPack;
}

/** Where a pack's parts lie; absolute paths. */
export interface PackLocation {
  readonly index: string;
  readonly moduleRoot: string;
  readonly bundleMap: string | undefined;
}

/** Opens a pack without running any of its code; throws BootError with every problem. */
export async function openPack(location: PackLocation): Promise<Pack> {
  const index = await loadIndex(location.index);
  const modules = await findModules(index, location.moduleRoot, await loadBundleMap(location.bundleMap));
  return { index, threadPack: { modules, tools: index.tools.map(toolEntry), checks: checkEntries(index) } };
}

/** What /v1/info says of a pack, but for its environment. */
export function describePack(index: IndexFile): Omit<Info, 'missingEnv'> {
  return {
    protocol: 2,
    packId: index.packId,
    packVersion: index.packVersion,
    artifactVersion: index.artifactVersion,
    tools: index.tools.map(({ id, version }) => (version === undefined ? { id } : { id, version })),
    checks: checkEntries(index).map((check) => check.id),
  };
}

function toolEntry({ id, version, modulePath, input, output }: IndexFile['tools'][number]): ToolEntry {
  return { id, version, modulePath, input, output };
}

/** Guardrails may share a check: the first to name it says where it is. */
function checkEntries(index: IndexFile): CheckEntry[] {
  const checks = new Map<string, CheckEntry>();
  for (const guardrail of index.guardrails) {
    const id = guardrail.checkId ?? guardrail.id;
    if (!checks.has(id)) checks.set(id, { id, guardrailId: guardrail.id, modulePath: guardrail.checkModulePath, configSchema: guardrail.configSchema });
  }
  return [...checks.values()];
}
