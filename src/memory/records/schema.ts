import { refreshStrategies, sourceKinds } from './fact.js';
import { logEntryKinds } from './log-entry.js';

const text = { type: 'string' };
const name = { type: 'string', minLength: 1 };
const time = { type: 'string', format: 'date-time' };
const count = { type: 'integer', minimum: 0 };
const hash = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };
const closed = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) => ({
  type: 'object', additionalProperties: false, properties, required,
});

const inTenant = { userId: text, orgId: text, projectId: text, threadId: text, sessionId: text };
const scope = closed({ tenantId: name, ...inTenant }, ['tenantId']);

const logEntry = closed(
  {
    id: name, kind: { enum: logEntryKinds }, scope, runId: text, actor: text, timestamp: time, sequence: count,
    payload: {}, contentHash: hash, prevHash: hash, entryHash: hash, causedByLogId: text,
  },
  ['id', 'kind', 'scope', 'timestamp', 'sequence', 'runId', 'prevHash', 'entryHash'],
);

const retention = closed({ keepUntil: time, keepDays: count, legalHold: { type: 'boolean' } });

const source = closed(
  {
    kind: { enum: sourceKinds },
    uri: text,
    freshness: closed({ ttlSeconds: count, lastVerifiedAt: time, etag: text, sourceVersion: text }),
    refresh: closed({ strategy: { enum: refreshStrategies }, handler: text, priority: { type: 'integer' } }, ['strategy']),
  },
  ['kind', 'freshness', 'refresh'],
);

const causes = { type: 'array', items: name, minItems: 1 };

const fact = closed(
  {
    id: name, type: name, scope, version: { type: 'integer', minimum: 1 }, createdAt: time, updatedAt: time,
    content: {}, contentRef: text, contentHash: hash, size: count, embeddingModel: text, retention, source,
    causedByLogId: causes, supersedes: text,
  },
  ['id', 'type', 'scope', 'version', 'createdAt'],
);

/** The records of memory schema 1.3.0, and what of them callers say, as JSON Schema. */
export const schemas = {
  scope,
  logEntry,
  fact,
  newLogEntry: closed(
    { tenantId: name, runId: text, kind: { enum: logEntryKinds }, scope: closed({ tenantId: name, ...inTenant }), actor: text, payload: {}, causedByLogId: text, id: name },
    ['tenantId', 'runId', 'kind'],
  ),
  newFact: closed(
    { scope, id: name, type: name, content: {}, expectedVersion: count, retention, source, causedByLogId: causes },
    ['scope', 'type'],
  ),
};

/** Memory schema 1.3.0: a record is a log entry or a fact. */
export const memorySchema = { $schema: 'https://json-schema.org/draft/2020-12/schema', oneOf: [logEntry, fact] };
