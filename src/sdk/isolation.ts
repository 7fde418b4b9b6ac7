import type { NetworkPolicy } from '../protocol/network-policy.js';
import { expected, fields, isRecord, type Kind, list, oneOf, optional, text, wholeNumber } from './kinds.js';

/** How code wants to be held. */
export interface DeclaredIsolation {
  /** `none`: may share its thread. `context-isolated`: has it to itself while it runs. `strict`: has a thread that ran nothing before. */
  readonly sandbox?: 'none' | 'context-isolated' | 'strict';
  /** The most that its thread may hold, in MiB, and the CPU time of a call, in milliseconds. */
  readonly limits?: { readonly memMB?: number; readonly cpuMs?: number };
  /** Which hosts it may reach; any, when left out. */
  readonly network?: NetworkPolicy;
}

const policy = fields({ kind: oneOf('none', 'allowlist', 'unrestricted'), hosts: optional(list(text)) });

const network: Kind = (value, place) => [
  ...policy(value, place),
  ...(isRecord(value) && value['kind'] === 'allowlist' && value['hosts'] === undefined ? [expected('a list of hosts', undefined, `${place}.hosts`)] : []),
];

/** The fields that tools and guardrails declare it by. */
export const isolationFields = {
  sandbox: optional(oneOf('none', 'context-isolated', 'strict')),
  limits: optional(fields({ memMB: optional(wholeNumber(1)), cpuMs: optional(wholeNumber(1)) })),
  network: optional(network),
};
