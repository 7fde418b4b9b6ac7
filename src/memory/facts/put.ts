import type { Contents } from '../blobs/contents.js';
import type { Database, Queries, Value } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { canonicalJson, sha256 } from '../hashing/canonical.js';
import { newId } from '../hashing/new-id.js';
import type { Fact, NewFact, Source } from '../records/fact.js';
import { scopeRow } from '../records/scope.js';
import { checkFact, checkNewFact } from '../records/validate.js';
import { type FactRow, factOf } from './fact-row.js';
import { findVersion, lockFact, scopeKey } from './find.js';
import { inheritedRetention, retentionColumns } from './keeping.js';
import { staleAt } from './refresh.js';
import { type Embedding, textOf, vectorOf, wordsOf } from './searchable.js';

const inlineBytes = 64 * 1024;

/** What putting a fact needs of the memory it is put into. */
export interface FactContext {
  readonly database: Database;
  readonly contents: Contents;
  readonly embedding: Embedding | undefined;
  readonly now: () => number;
}

/** A content as it is stored, which no version number changes. */
interface StoredContent {
  readonly content: string | null;
  readonly content_ref: string | null;
  readonly content_hash: string | null;
  readonly size: number | null;
  readonly words: string | null;
  readonly embedding: Value;
  readonly embedding_model: string | null;
}

/** Writes the next version of a fact; see `Facts.put`. */
export async function putFact(context: FactContext, fact: NewFact): Promise<Fact> {
  checkNewFact(fact);
  const named = { ...fact, id: fact.id ?? newId() };
  // Before the transaction: blobs and models take their time.
  const content = await storeContent(context, named);
  return insertNext(context, named, content);
}

type NamedFact = NewFact & { readonly id: string };

async function storeContent({ database, contents, embedding }: FactContext, { scope, content }: NewFact): Promise<StoredContent> {
  const text = canonicalJson(content, 'fact', 'content');
  if (text === undefined) return { content: null, content_ref: null, content_hash: null, size: null, words: null, embedding: null, embedding_model: null };
  const hash = sha256(text);
  const size = Buffer.byteLength(text);
  const large = size > inlineBytes;
  const words = textOf(content);
  const vector = embedding === undefined || words === '' ? undefined : await vectorOf(embedding, words);
  return {
    content: large ? null : text,
    content_ref: large ? await contents.put(scope.tenantId, text, hash) : null,
    content_hash: hash,
    size,
    words: wordsOf(words).join(' ') || null,
    embedding: vector === undefined ? null : database.dialect.vector(vector),
    embedding_model: vector === undefined ? null : (embedding?.model ?? null),
  };
}

function insertNext({ database, now }: FactContext, fact: NamedFact, content: StoredContent): Promise<Fact> {
  return database.transaction(async (queries) => {
    await lockFact(database, queries, fact);
    const runs = await causingRuns(database, queries, fact);
    const previous = await findVersion(queries, fact, undefined);
    const found = previous?.version ?? 0;
    if (fact.expectedVersion !== undefined && fact.expectedVersion !== found) {
      throw new MemoryError('version-conflict', `Fact ${fact.id} has version ${found}, not ${fact.expectedVersion}`);
    }
    return insertVersion(queries, nextRow(fact, content, previous, now()), previous, runs);
  });
}

type NewRow = Omit<FactRow, 'fact_row'> & StoredContent & { readonly latest: 1; readonly stale_at: string | null; readonly refresh_strategy: string | null; readonly refresh_priority: number };

function nextRow(fact: NamedFact, content: StoredContent, previous: FactRow | undefined, now: number): NewRow {
  const source = fact.source === undefined ? undefined : askedNow(fact.source, now);
  const time = new Date(now).toISOString();
  return {
    ...scopeRow(fact.scope),
    scope_key: scopeKey(fact.scope),
    id: fact.id,
    version: (previous?.version ?? 0) + 1,
    latest: 1,
    type: fact.type,
    created_at: previous?.created_at ?? time,
    updated_at: previous === undefined ? null : time,
    ...content,
    ...retentionColumns(inheritedRetention(fact.retention, previous), now),
    source: source === undefined ? null : JSON.stringify(source),
    stale_at: source === undefined ? null : (staleAt(source) ?? null),
    refresh_strategy: source?.refresh.strategy ?? null,
    refresh_priority: source?.refresh.priority ?? 0,
    caused_by: fact.causedByLogId === undefined ? null : JSON.stringify(fact.causedByLogId),
    supersedes: previous === undefined ? null : `${previous.id}@${previous.version}`,
  };
}

/** A copy that is put is as good as its source is now, unless the caller says when it was. */
function askedNow(source: Source, now: number): Source {
  return { ...source, freshness: { lastVerifiedAt: new Date(now).toISOString(), ...source.freshness } };
}

async function insertVersion(queries: Queries, row: NewRow, previous: FactRow | undefined, runs: readonly string[]): Promise<Fact> {
  const record = factOf({ ...row, fact_row: 0 });
  checkFact(record);
  if (previous !== undefined) await queries.query('UPDATE memory_facts SET latest = 0 WHERE fact_row = $1', [previous.fact_row]);
  await queries.insert('memory_facts', [row]);
  if (runs.length > 0) {
    const [inserted] = await queries.query<{ fact_row: number }>('SELECT fact_row FROM memory_facts WHERE tenant_id = $1 AND scope_key = $2 AND id = $3 AND version = $4', [row.tenant_id, row.scope_key, row.id, row.version]);
    if (inserted !== undefined) await queries.insert('memory_fact_runs', runs.map((run_id) => ({ tenant_id: row.tenant_id, run_id, fact_row: inserted.fact_row })));
  }
  return record;
}

/** The runs of the entries that caused a fact, all of which must be there. */
async function causingRuns({ dialect }: Database, queries: Queries, { scope, causedByLogId = [] }: NewFact): Promise<string[]> {
  if (causedByLogId.length === 0) return [];
  const rows = await queries.query<{ id: string; run_id: string }>(`SELECT id, run_id FROM memory_log WHERE tenant_id = $1 AND ${dialect.oneOf('id', '$2')}`, [scope.tenantId, JSON.stringify(causedByLogId)]);
  const missing = causedByLogId.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw new MemoryError('unknown-cause', `causedByLogId: tenant ${scope.tenantId} has no entry ${missing}`);
  return [...new Set(rows.map(({ run_id }) => run_id))];
}
