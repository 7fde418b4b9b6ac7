/** Which hosts code may reach: `api.example.com`, `*.example.com`, either with an optional `:port`. */
export type NetworkPolicy = { readonly kind: 'unrestricted' } | { readonly kind: 'none' } | { readonly kind: 'allowlist'; readonly hosts: readonly string[] };

/**
 * `none`: may share its thread with other calls. `context-isolated`: has its thread to itself while it
 * runs. `strict`: its thread ran nothing before and runs nothing after.
 */
export type Sandbox = 'none' | 'context-isolated' | 'strict';

/** How a tool or a check wants its code to be held. */
export interface DeclaredIsolation {
  /** Left out, code has its thread to itself, unless the operator lets calls share theirs. */
  readonly sandbox?: Sandbox;
  /** The most that its thread may hold, in MiB, and the CPU time of a call, in milliseconds. */
  readonly limits?: { readonly memMB?: number; readonly cpuMs?: number };
  /** Which hosts it may reach; any, when left out. */
  readonly network?: NetworkPolicy;
}
