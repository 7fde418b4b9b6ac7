import type { Fact, Retention, Source } from '../records/fact.js';
import { scopeOf, type ScopeRow } from '../records/scope.js';

/** A version as the table `memory_facts` holds it, without what only queries read. */
export interface FactRow extends ScopeRow {
  readonly fact_row: number;
  readonly scope_key: string;
  readonly id: string;
  readonly version: number;
  readonly type: string;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly content: string | null;
  readonly content_ref: string | null;
  readonly content_hash: string | null;
  readonly size: number | null;
  readonly embedding_model: string | null;
  readonly retention: string | null;
  readonly keep_until: string | null;
  readonly legal_hold: number;
  readonly source: string | null;
  readonly caused_by: string | null;
  readonly supersedes: string | null;
}

const names = [
  'fact_row', 'tenant_id', 'user_id', 'org_id', 'project_id', 'thread_id', 'session_id', 'scope_key', 'id', 'version', 'type', 'created_at', 'updated_at', 'content', 'content_ref',
  'content_hash', 'size', 'embedding_model', 'retention', 'keep_until', 'legal_hold', 'source', 'caused_by', 'supersedes',
];
export const factColumns = names.map((name) => `f.${name}`).join(', ');

/** The record of a row; a content that is kept as a blob is not fetched. */
export function factOf(row: FactRow): Fact {
  return {
    id: row.id,
    type: row.type,
    scope: scopeOf(row),
    version: row.version,
    createdAt: row.created_at,
    ...(row.updated_at === null ? {} : { updatedAt: row.updated_at }),
    ...(row.content === null ? {} : { content: JSON.parse(row.content) as unknown }),
    ...(row.content_ref === null ? {} : { contentRef: row.content_ref }),
    ...(row.content_hash === null ? {} : { contentHash: row.content_hash }),
    ...(row.size === null ? {} : { size: row.size }),
    ...(row.embedding_model === null ? {} : { embeddingModel: row.embedding_model }),
    ...(row.retention === null ? {} : { retention: JSON.parse(row.retention) as Retention }),
    ...(row.source === null ? {} : { source: JSON.parse(row.source) as Source }),
    ...(row.caused_by === null ? {} : { causedByLogId: JSON.parse(row.caused_by) as string[] }),
    ...(row.supersedes === null ? {} : { supersedes: row.supersedes }),
  };
}
