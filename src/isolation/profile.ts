import type { DeclaredIsolation, NetworkPolicy, Sandbox } from '../protocol/isolation.js';

/** How the calls of some tools and checks are held; entries with equal profiles share threads. */
export interface Profile {
  readonly sandbox: Sandbox;
  /** The most a thread may hold, heap and buffers together, in MiB. */
  readonly memMB?: number;
  /** The CPU time a call may take, in milliseconds. */
  readonly cpuMs?: number;
  readonly network: NetworkPolicy;
}

/** The profile of an entry. One that declares no sandbox shares threads only where the operator allows more than one call on a thread. */
export function profileOf({ sandbox, limits, network }: DeclaredIsolation, callsPerWorker: number): Profile {
  return {
    sandbox: sandbox ?? (callsPerWorker > 1 ? 'none' : 'context-isolated'),
    ...(limits?.memMB === undefined ? {} : { memMB: limits.memMB }),
    ...(limits?.cpuMs === undefined ? {} : { cpuMs: limits.cpuMs }),
    network: network?.kind === 'allowlist' ? { kind: 'allowlist', hosts: [...new Set(network.hosts)].sort() } : { kind: network?.kind ?? 'unrestricted' },
  };
}

/** How many calls a thread of this profile runs at once. What a limit measures must be one call's own. */
export function callsPerThread(profile: Profile, callsPerWorker: number): number {
  return profile.sandbox === 'none' && profile.memMB === undefined && profile.cpuMs === undefined ? callsPerWorker : 1;
}
