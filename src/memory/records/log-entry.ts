import type { Scope } from './scope.js';

/** What an entry may be about. */
export const logEntryKinds = [
  'user-message', 'agent-message', 'system-message', 'tool-call', 'tool-result', 'internal-thought', 'retrieval',
  'artifact-produced', 'event-emitted', 'event-received', 'guardrail-triggered', 'wait-suspended', 'wait-resumed',
] as const;
export type LogEntryKind = (typeof logEntryKinds)[number];

/** One event of a run, as it is stored and read. */
export interface LogEntry {
  readonly id: string;
  readonly kind: LogEntryKind;
  readonly scope: Scope;
  readonly runId: string;
  readonly actor?: string;
  /** ISO 8601, UTC; never earlier than the entry before. */
  readonly timestamp: string;
  /** Counts up from 0 within the tenant's run. */
  readonly sequence: number;
  readonly payload?: unknown;
  /** SHA-256 of the payload's canonical JSON. */
  readonly contentHash?: string;
  readonly prevHash: string;
  readonly entryHash: string;
  readonly causedByLogId?: string;
}

/** What the caller says of an entry; the rest is assigned when it is appended. */
export interface NewLogEntry {
  readonly tenantId: string;
  readonly runId: string;
  readonly kind: LogEntryKind;
  /** What within the tenant; a `tenantId` here must be the entry's. */
  readonly scope?: Partial<Scope>;
  /** Who produced it: a user, an agent, a tool, or `system`. */
  readonly actor?: string;
  /** Any JSON. */
  readonly payload?: unknown;
  /** An entry of the same tenant. */
  readonly causedByLogId?: string;
  /** Unique within the tenant; a UUID is made when there is none. */
  readonly id?: string;
}
