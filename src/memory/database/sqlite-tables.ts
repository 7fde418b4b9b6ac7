/** The version of these tables, as the file's `user_version` has it. */
export const tablesVersion = 1;

const scope = 'tenant_id TEXT NOT NULL, user_id TEXT, org_id TEXT, project_id TEXT, thread_id TEXT, session_id TEXT';

const refuse = (name: string, event: string, message: string): string =>
  `CREATE TRIGGER ${name} BEFORE ${event} BEGIN SELECT RAISE(ABORT, '${message}'); END;`;

/** The log's table is its primary key's index: a chain lies in one piece, and no index can tell another story. */
export const sqliteTables = `
CREATE TABLE memory_log (
  ${scope}, run_id TEXT NOT NULL, sequence INTEGER NOT NULL CHECK (sequence >= 0), id TEXT NOT NULL, kind TEXT NOT NULL, actor TEXT,
  timestamp TEXT NOT NULL, payload TEXT, content_hash TEXT, caused_by TEXT, prev_hash TEXT NOT NULL, entry_hash TEXT NOT NULL, seal TEXT NOT NULL,
  PRIMARY KEY (tenant_id, run_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX memory_log_id ON memory_log (tenant_id, id);
CREATE INDEX memory_log_thread ON memory_log (tenant_id, thread_id, timestamp) WHERE thread_id IS NOT NULL;
${refuse('memory_log_update', 'UPDATE ON memory_log', 'a log entry is never changed')}
${refuse('memory_log_delete', 'DELETE ON memory_log', 'a log entry is never removed')}

CREATE TABLE memory_log_heads (
  tenant_id TEXT NOT NULL, run_id TEXT NOT NULL, sequence INTEGER NOT NULL, timestamp TEXT NOT NULL, entry_hash TEXT NOT NULL, seal TEXT NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
) STRICT, WITHOUT ROWID;
${refuse('memory_log_heads_back', 'UPDATE ON memory_log_heads WHEN new.sequence < old.sequence OR new.tenant_id <> old.tenant_id OR new.run_id <> old.run_id', 'the head of a log never goes back')}
${refuse('memory_log_heads_delete', 'DELETE ON memory_log_heads', 'the head of a log is never removed')}

CREATE TABLE memory_facts (
  fact_row INTEGER PRIMARY KEY, ${scope}, scope_key TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, latest INTEGER NOT NULL, type TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_at TEXT, content TEXT, content_ref TEXT, content_hash TEXT, size INTEGER, embedding_model TEXT,
  retention TEXT, keep_until TEXT, legal_hold INTEGER NOT NULL, source TEXT, stale_at TEXT, refresh_strategy TEXT, refresh_priority INTEGER NOT NULL,
  caused_by TEXT, supersedes TEXT, words TEXT, embedding BLOB,
  UNIQUE (tenant_id, scope_key, id, version)
) STRICT;
CREATE UNIQUE INDEX memory_facts_latest ON memory_facts (tenant_id, scope_key, id) WHERE latest = 1;
CREATE INDEX memory_facts_type ON memory_facts (tenant_id, type, fact_row) WHERE latest = 1;
CREATE INDEX memory_facts_kept ON memory_facts (keep_until) WHERE keep_until IS NOT NULL;
CREATE INDEX memory_facts_stale ON memory_facts (tenant_id, refresh_priority DESC, stale_at) WHERE latest = 1 AND stale_at IS NOT NULL;
CREATE INDEX memory_facts_blobs ON memory_facts (content_ref) WHERE content_ref IS NOT NULL;
${refuse(
  'memory_facts_update',
  'UPDATE OF tenant_id, user_id, org_id, project_id, thread_id, session_id, scope_key, id, version, type, created_at, updated_at, content, content_ref, content_hash, size, caused_by, supersedes ON memory_facts',
  'a version of a fact is never changed',
)}
${refuse('memory_facts_held', 'DELETE ON memory_facts WHEN old.legal_hold = 1', 'a legal hold keeps the fact')}

CREATE TABLE memory_fact_runs (
  tenant_id TEXT NOT NULL, run_id TEXT NOT NULL, fact_row INTEGER NOT NULL REFERENCES memory_facts (fact_row) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, run_id, fact_row)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_fact_runs_fact ON memory_fact_runs (fact_row);

CREATE VIRTUAL TABLE memory_fact_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0');
CREATE TRIGGER memory_facts_words_in AFTER INSERT ON memory_facts WHEN new.words IS NOT NULL
  BEGIN INSERT INTO memory_fact_words (rowid, words) VALUES (new.fact_row, new.words); END;
CREATE TRIGGER memory_facts_words_old AFTER UPDATE OF latest ON memory_facts WHEN old.words IS NOT NULL AND new.latest = 0
  BEGIN DELETE FROM memory_fact_words WHERE rowid = old.fact_row; END;
CREATE TRIGGER memory_facts_words_out AFTER DELETE ON memory_facts WHEN old.words IS NOT NULL
  BEGIN DELETE FROM memory_fact_words WHERE rowid = old.fact_row; END;

CREATE TABLE memory_blobs (bucket TEXT NOT NULL, key TEXT NOT NULL, touched_at TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (bucket, key)) STRICT;
PRAGMA user_version = ${tablesVersion};
`;
