import type { DefinitionKind } from '../threads/link/definitions.js';
import type { PackConfig } from './config.js';
import { byCodeUnits } from './problem.js';
import type { SourceDefinition } from './sources.js';

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
