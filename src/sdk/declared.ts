import { isRecord } from './kinds.js';

/** What a tool declares that decides which parts its calls' context has. */
export interface Declared {
  /** The names under `needsSpec.connections`. */
  readonly connections: readonly string[];
  readonly pauses: boolean;
  readonly storesFiles: boolean;
  readonly readsFiles: boolean;
}

/** The fields of a tool, or of its index entry, that say so. */
export interface Declaring {
  readonly needsSpec?: unknown;
  readonly pauses?: boolean | undefined;
  readonly storesFiles?: boolean | undefined;
  readonly readsFiles?: boolean | undefined;
}

/** What a tool declares; undefined when it is nothing, as with most. */
export function declaredBy({ needsSpec, pauses = false, storesFiles = false, readsFiles = false }: Declaring): Declared | undefined {
  const needed = isRecord(needsSpec) ? needsSpec['connections'] : undefined;
  const connections = isRecord(needed) ? Object.keys(needed) : [];
  return connections.length > 0 || pauses || storesFiles || readsFiles ? { connections, pauses, storesFiles, readsFiles } : undefined;
}
