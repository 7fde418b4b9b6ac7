/**
 * A memory for agents: a log that shows when it was tampered with, and versioned facts.
 *
 *     import { openMemory } from 'packhost/memory';
 *
 *     const memory = await openMemory('sqlite:memory.db');
 *     const asked = await memory.log.append({ tenantId: 'acme', runId: 'run-1', kind: 'user-message', payload: 'Hello' });
 *     await memory.facts.put({ scope: { tenantId: 'acme' }, type: 'summary', content: 'A greeting', causedByLogId: [asked.id] });
 *     await memory.close();
 */
export type { BlobName, BlobStore } from './blobs/blob-store.js';
export { InvalidRecord, MemoryError, type MemoryErrorCode, type RecordIssue } from './errors.js';
export type { Facts, FoundFact, RefreshedFacts } from './facts/facts.js';
export type { FactName, ListOptions } from './facts/find.js';
export type { Reason, Swept } from './facts/keeping.js';
export { type Freshness, refreshByTool, type Refreshed, type RefreshHandler, type ToolSource } from './facts/refresh.js';
export type { Embedding } from './facts/searchable.js';
export { type Break, type BreakKind, describeBreak } from './log/break.js';
export { checkSignedHeads, type Head, type SignedHeads, signHeads } from './log/head.js';
export type { Imported } from './log/json-lines.js';
export type { Log } from './log/log.js';
export type { ReadOptions } from './log/read.js';
export type { Selection } from './log/selection.js';
export type { Verification, VerifyOptions } from './log/verify.js';
export { type Memory, type MemoryOptions, openMemory } from './memory.js';
export type { Fact, NewFact, Retention, Source } from './records/fact.js';
export { type LogEntry, type LogEntryKind, logEntryKinds, type NewLogEntry } from './records/log-entry.js';
export { memorySchema } from './records/schema.js';
export type { Scope } from './records/scope.js';
export type { MemoryStats, TenantStats } from './stats.js';
export type { RecalledFact, RecallOptions } from './views/recall.js';
export type { HistoryOptions, Views } from './views/views.js';
