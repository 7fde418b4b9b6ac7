import type { BuiltInCheckId } from '../../checks/index.js';
import type { ErrorMessage } from '../../protocol/messages.js';

/** One tool of the index, as a worker needs it. */
export interface ToolEntry {
  readonly id: string;
  readonly version: string | undefined;
  readonly modulePath: string;
  /** The places of its schemas' code among the pack's. */
  readonly inputValidator: number;
  readonly outputValidator: number;
  readonly needsSpec: unknown;
  readonly pauses: boolean | undefined;
  readonly storesFiles: boolean | undefined;
  readonly readsFiles: boolean | undefined;
  /** The request that the tool is, when it is no code; its module is then not loaded. */
  readonly http: unknown;
}

/** One check of the index, as a worker needs it; `id` is what it is called by. */
export type CheckEntry = PackCheckEntry | BuiltInCheckEntry | CombinedCheckEntry;

/** A check that a module of the pack exports. */
export interface PackCheckEntry {
  readonly kind: 'pack';
  readonly id: string;
  readonly guardrailId: string;
  readonly modulePath: string;
  /** The place of its config schema's code among the pack's, if it has one. */
  readonly configValidator: number | undefined;
}

/** One of packhost's own checks, by its id or by that of a guardrail that names it. */
export interface BuiltInCheckEntry {
  readonly kind: 'built-in';
  readonly id: string;
  readonly checkId: BuiltInCheckId;
  readonly guardrailId: string;
  /** Where the guardrail is declared, if the index says so; a check of the pack's own there is refused. */
  readonly modulePath: string | undefined;
  /** The place of its config schema's code among the pack's. */
  readonly configValidator: number;
}

/** Stands for several checks on one trace, to be run in one call. A build asks for it; a service has none. */
export interface CombinedCheckEntry {
  readonly kind: 'combined';
  readonly id: string;
}

/** The config of a combined check. */
export interface CombinedConfig {
  readonly calls: readonly { readonly checkId: string; readonly config: Readonly<Record<string, unknown>> }[];
}

/** The result of a combined check: the message that each would have been answered with by itself, in their order. */
export interface CombinedResult {
  readonly passed: true;
  readonly answers: readonly CheckAnswer[];
}

/** What a check is answered with. */
export type CheckAnswer = { readonly kind: 'check-result'; readonly result: unknown } | ErrorMessage;

/** One module to import: its path in the index, and the URL to import it from. */
export interface ModuleEntry {
  readonly modulePath: string;
  readonly url: string;
}

/** What a worker loads before it takes calls: the entries of one profile. */
export interface ThreadPack {
  readonly modules: readonly ModuleEntry[];
  readonly tools: readonly ToolEntry[];
  readonly checks: readonly CheckEntry[];
  /** Every tool of the whole pack: whether a version must be named does not depend on the profile. */
  readonly catalog: readonly ToolName[];
}

/** One version of a tool by name. */
export interface ToolName {
  readonly id: string;
  readonly version: string | undefined;
}

/** Who needs a module: `Tools "a", "b"; Check "c"`. */
export function usersOf({ tools, checks }: ThreadPack, modulePath: string): string {
  return [...named('Tool', tools, modulePath), ...named('Check', checks.filter((check) => check.kind !== 'combined'), modulePath)].join('; ');
}

function named(kind: string, entries: readonly { readonly id: string; readonly modulePath: string | undefined }[], modulePath: string): string[] {
  const ids = new Set(entries.filter((entry) => entry.modulePath === modulePath).map((entry) => `"${entry.id}"`));
  return ids.size === 0 ? [] : [`${kind}${ids.size > 1 ? 's' : ''} ${[...ids].join(', ')}`];
}
