/** Nothing crosses tenants: every operation is tried with another tenant's names. */
import type { LogEntry, Memory, Scope } from '../../src/memory/index.js';
import { all, emptyMemory, onEachEngine } from './engines.js';

const mine = { tenantId: 'acme' };
const why = { actor: 'intruder', reason: 'curiosity' };
const secret = 'only acme knows this';

/** Everything of one tenant's that another could be after. */
async function filled(memory: Memory): Promise<LogEntry> {
  const entry = await memory.log.append({ ...mine, runId: 'run-1', kind: 'user-message', payload: secret, scope: { threadId: 'thread-1' }, id: 'entry-1' });
  const source = { kind: 'http-api', freshness: { ttlSeconds: 0 }, refresh: { strategy: 'background', handler: 'ask' } } as const;
  await memory.facts.put({ scope: mine, id: 'fact-1', type: 'working-memory', content: secret, causedByLogId: ['entry-1'], source });
  await memory.facts.put({ scope: mine, id: 'fact-2', type: 'note', content: secret.repeat(5000), retention: { keepUntil: '2000-01-01T00:00:00Z' } });
  return entry;
}

/** What the other tenant tries, and finds nothing by. */
const attempts: Readonly<Record<string, (memory: Memory, scope: Scope, theirs: LogEntry) => Promise<unknown>>> = {
  'log.read': (memory, { tenantId }) => all(memory.log.read({ tenantId, runId: 'run-1' })),
  'log.read with a scope that names the tenant': (memory, { tenantId }) => all(memory.log.read({ tenantId, runId: 'run-1', scope: mine })),
  'log.verify': async (memory, { tenantId }) => (await memory.log.verify({ tenantId })).entries || undefined,
  'log.verify of a run': async (memory, { tenantId }) => (await memory.log.verify({ tenantId, runId: 'run-1' })).entries || undefined,
  'log.heads': (memory, { tenantId }) => all(memory.log.heads({ tenantId })),
  'log.export': (memory, { tenantId }) => all(memory.log.export({ tenantId })),
  'log.export of a run': (memory, { tenantId }) => all(memory.log.export({ tenantId, runId: 'run-1' })),
  'facts.get': (memory, scope) => memory.facts.get({ scope, id: 'fact-1' }),
  'facts.get of a version': (memory, scope) => memory.facts.get({ scope, id: 'fact-2' }, { version: 1 }),
  'facts.history': (memory, scope) => memory.facts.history({ scope, id: 'fact-1' }),
  'facts.list': (memory, scope) => all(memory.facts.list({ scope })),
  'facts.sweep': async (memory, { tenantId }) => (await memory.facts.sweep({ tenantId })).versions,
  'facts.refreshStale': async (memory, scope) => (await memory.facts.refreshStale({ scope })).refreshed || undefined,
  'views.history': (memory, scope) => memory.views.history({ scope: { ...scope, threadId: 'thread-1' } }),
  'views.history before an entry': (memory, scope, theirs) => memory.views.history({ scope: { ...scope, threadId: 'thread-1' }, before: { ...theirs, sequence: 9 } }),
  'views.working': (memory, scope) => memory.views.working({ scope, runId: 'run-1' }),
  'views.recall by keyword': (memory, scope) => memory.views.recall({ scope, query: 'acme', by: 'keyword' }),
  'views.recall by meaning': (memory, scope) => memory.views.recall({ scope, query: 'acme', by: 'meaning' }),
  stats: async (memory, { tenantId }) => (await memory.stats({ tenantId })).tenants,
};

/** What is refused, since it names what the other tenant does not have. */
const refusals: Readonly<Record<string, readonly [(memory: Memory, scope: Scope) => Promise<unknown>, code: string]>> = {
  'log.append caused by their entry': [(memory, { tenantId }) => memory.log.append({ tenantId, runId: 'x', kind: 'retrieval', causedByLogId: 'entry-1' }), 'unknown-cause'],
  'log.append into their scope': [(memory, { tenantId }) => memory.log.append({ tenantId, runId: 'x', kind: 'retrieval', scope: mine }), 'invalid-record'],
  'facts.put caused by their entry': [(memory, scope) => memory.facts.put({ scope, type: 'x', causedByLogId: ['entry-1'] }), 'unknown-cause'],
  'facts.put after their version': [(memory, scope) => memory.facts.put({ scope, type: 'x', id: 'fact-1', expectedVersion: 1 }), 'version-conflict'],
  'facts.delete': [(memory, scope) => memory.facts.delete({ scope, id: 'fact-2' }, why), 'no-such-fact'],
  'facts.hold': [(memory, scope) => memory.facts.hold({ scope, id: 'fact-1' }, why), 'no-such-fact'],
  'facts.release': [(memory, scope) => memory.facts.release({ scope, id: 'fact-1' }, why), 'no-such-fact'],
  'facts.refresh': [(memory, scope) => memory.facts.refresh({ scope, id: 'fact-1' }), 'no-such-fact'],
};

/** Tenants that are near enough to be taken for it. */
const others = ['other', 'ACME', 'acme ', 'acm', 'acme_', '%', "acme' OR '1'='1", '{"tenantId":"acme"}', 'all-tenants'];

onEachEngine('no operation of one tenant finds anything of another', async (t, engine) => {
  let asked = 0;
  const memory = await emptyMemory(t, engine, {
    embedding: { model: 'one', embed: async (texts) => texts.map(() => [1, 0]) },
    refresh: { ask: async () => (asked++, { kind: 'unchanged' }) },
  });
  const theirs = await filled(memory);
  for (const [what, attempt] of Object.entries(attempts)) {
    for (const tenantId of others) {
      const found = await attempt(memory, { tenantId }, theirs);
      if (!(found === undefined || (Array.isArray(found) && found.length === 0))) t.fail(`${what} as ${tenantId}`, { found });
    }
  }
  t.equal(asked, 0);
  for (const [what, [attempt, code]] of Object.entries(refusals)) {
    for (const tenantId of others) await t.rejects(attempt(memory, { tenantId }), { code }, `${what} as ${tenantId}`);
  }
  t.strictSame((await memory.stats('all-tenants')).tenants.map(({ tenantId, entries, facts }) => [tenantId, entries, facts]), [['acme', 1, 2]], 'and none has left anything');
});

onEachEngine('the same attempts of the tenant itself find something', async (t, engine) => {
  const memory = await emptyMemory(t, engine, {
    embedding: { model: 'one', embed: async (texts) => texts.map(() => [1, 0]) },
    refresh: { ask: async () => ({ kind: 'unchanged' }) },
  });
  const entry = await filled(memory);
  // The sweep comes last: it deletes what others look for.
  for (const [what, attempt] of Object.entries(attempts).sort(([one], [other]) => Number(one === 'facts.sweep') - Number(other === 'facts.sweep'))) {
    const found = await attempt(memory, mine, entry);
    t.ok(found !== undefined && !(Array.isArray(found) && found.length === 0), what);
  }
});

onEachEngine('a tenant that was forgotten is refused everywhere', async (t, engine) => {
  const memory = await emptyMemory(t, engine, { embedding: { model: 'one', embed: async () => [[1]] } });
  const entry = await filled(memory);
  for (const scope of [{}, { tenantId: '' }, { tenantId: undefined }, { tenantId: 7 }]) {
    for (const [what, attempt] of Object.entries(attempts)) await t.rejects(attempt(memory, scope as Scope, entry), { code: /invalid-/ }, `${what} with ${JSON.stringify(scope)}`);
    for (const [what, [attempt]] of Object.entries(refusals)) await t.rejects(attempt(memory, scope as Scope), { code: /invalid-/ }, `${what} with ${JSON.stringify(scope)}`);
  }
});
