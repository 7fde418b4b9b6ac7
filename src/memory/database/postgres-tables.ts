/** The version of these tables, as `memory_tables` has it. */
export const tablesVersion = 1;

// Texts are compared byte by byte, as SQLite does, whatever the database's language.
const text = 'text COLLATE "C"';
const scope = `tenant_id ${text} NOT NULL, user_id ${text}, org_id ${text}, project_id ${text}, thread_id ${text}, session_id ${text}`;

const refuse = (name: string, event: string, message: string): string =>
  `CREATE TRIGGER ${name} BEFORE ${event} EXECUTE FUNCTION memory_refuse('${message}');`;

export const postgresTables = `
CREATE TABLE memory_tables (version integer NOT NULL);
INSERT INTO memory_tables VALUES (${tablesVersion});

CREATE FUNCTION memory_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$;

CREATE TABLE memory_log (
  ${scope}, run_id ${text} NOT NULL, sequence bigint NOT NULL CHECK (sequence >= 0), id ${text} NOT NULL, kind ${text} NOT NULL, actor ${text},
  timestamp ${text} NOT NULL, payload ${text}, content_hash ${text}, caused_by ${text}, prev_hash ${text} NOT NULL, entry_hash ${text} NOT NULL, seal ${text} NOT NULL,
  PRIMARY KEY (tenant_id, run_id, sequence)
);
CREATE UNIQUE INDEX memory_log_id ON memory_log (tenant_id, id);
CREATE INDEX memory_log_thread ON memory_log (tenant_id, thread_id, timestamp) WHERE thread_id IS NOT NULL;
${refuse('memory_log_update', 'UPDATE ON memory_log FOR EACH ROW', 'a log entry is never changed')}
${refuse('memory_log_delete', 'DELETE ON memory_log FOR EACH ROW', 'a log entry is never removed')}
${refuse('memory_log_truncate', 'TRUNCATE ON memory_log', 'a log entry is never removed')}

CREATE TABLE memory_log_heads (
  tenant_id ${text} NOT NULL, run_id ${text} NOT NULL, sequence bigint NOT NULL, timestamp ${text} NOT NULL, entry_hash ${text} NOT NULL, seal ${text} NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
);
${refuse('memory_log_heads_back', 'UPDATE ON memory_log_heads FOR EACH ROW WHEN (new.sequence < old.sequence OR new.tenant_id <> old.tenant_id OR new.run_id <> old.run_id)', 'the head of a log never goes back')}
${refuse('memory_log_heads_delete', 'DELETE ON memory_log_heads FOR EACH ROW', 'the head of a log is never removed')}
${refuse('memory_log_heads_truncate', 'TRUNCATE ON memory_log_heads', 'the head of a log is never removed')}

CREATE TABLE memory_facts (
  fact_row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${scope}, scope_key ${text} NOT NULL, id ${text} NOT NULL, version bigint NOT NULL, latest integer NOT NULL,
  type ${text} NOT NULL, created_at ${text} NOT NULL, updated_at ${text}, content ${text}, content_ref ${text}, content_hash ${text}, size bigint, embedding_model ${text},
  retention ${text}, keep_until ${text}, legal_hold integer NOT NULL, source ${text}, stale_at ${text}, refresh_strategy ${text}, refresh_priority bigint NOT NULL,
  caused_by ${text}, supersedes ${text}, words ${text}, embedding real[],
  words_index tsvector GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED,
  UNIQUE (tenant_id, scope_key, id, version)
);
CREATE UNIQUE INDEX memory_facts_latest ON memory_facts (tenant_id, scope_key, id) WHERE latest = 1;
CREATE INDEX memory_facts_type ON memory_facts (tenant_id, type, fact_row) WHERE latest = 1;
CREATE INDEX memory_facts_kept ON memory_facts (keep_until) WHERE keep_until IS NOT NULL;
CREATE INDEX memory_facts_stale ON memory_facts (tenant_id, refresh_priority DESC, stale_at) WHERE latest = 1 AND stale_at IS NOT NULL;
CREATE INDEX memory_facts_blobs ON memory_facts (content_ref) WHERE content_ref IS NOT NULL;
CREATE INDEX memory_facts_words ON memory_facts USING gin (words_index) WHERE latest = 1;
${refuse(
  'memory_facts_update',
  'UPDATE OF tenant_id, user_id, org_id, project_id, thread_id, session_id, scope_key, id, version, type, created_at, updated_at, content, content_ref, content_hash, size, caused_by, supersedes ON memory_facts FOR EACH ROW',
  'a version of a fact is never changed',
)}
${refuse('memory_facts_held', 'DELETE ON memory_facts FOR EACH ROW WHEN (old.legal_hold = 1)', 'a legal hold keeps the fact')}

CREATE TABLE memory_fact_runs (
  tenant_id ${text} NOT NULL, run_id ${text} NOT NULL, fact_row bigint NOT NULL REFERENCES memory_facts (fact_row) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, run_id, fact_row)
);
CREATE INDEX memory_fact_runs_fact ON memory_fact_runs (fact_row);

CREATE TABLE memory_blobs (bucket ${text} NOT NULL, key ${text} NOT NULL, touched_at ${text} NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (bucket, key));
`;
