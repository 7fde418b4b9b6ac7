/** Facts that are copies: when they are stale, and how they are refreshed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { type Fact, type Memory, type NewFact, type Refreshed, refreshByTool } from '../../src/memory/index.js';
import { serve } from '../running-service.js';
import { indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';
import { emptyMemory, type Engine, onEachEngine } from './engines.js';

const scope = { tenantId: 'acme' };
const name = { scope, id: 'price' };

const copy = (strategy: 'on-read' | 'background' | 'manual', more: Partial<NewFact> = {}, priority = 0): NewFact => ({
  scope, id: 'price', type: 'price', content: 1, source: { kind: 'http-api', freshness: { ttlSeconds: 60, etag: 'one' }, refresh: { strategy, handler: 'ask', priority } }, ...more,
});

interface Asked {
  readonly memory: Memory;
  readonly clock: { time: number };
  readonly asked: Fact[];
  answer: () => Promise<Refreshed>;
}

async function withSource(t: Test, engine: Engine): Promise<Asked> {
  const clock = { time: Date.parse('2026-01-01T00:00:00Z') };
  const state = { clock, asked: [] as Fact[], answer: async (): Promise<Refreshed> => ({ kind: 'changed', content: 2, etag: 'two' }) };
  const memory = await emptyMemory(t, engine, {
    now: () => clock.time,
    refreshTimeoutMs: 500,
    refresh: { ask: (fact) => (state.asked.push(fact), state.answer()) },
  });
  return Object.assign(state, { memory });
}

onEachEngine('a stale copy is refreshed when it is read, once for all who read it', async (t, engine) => {
  const source = await withSource(t, engine);
  // Long enough for all four to have read the stale one; who reads it later asks again.
  source.answer = () => sleep(200, { kind: 'changed', content: 2, etag: 'two' });
  const readByFour = () => Promise.all([1, 2, 3, 4].map(() => source.memory.facts.get(name)));
  await source.memory.facts.put(copy('on-read'));
  for (const each of await readByFour()) t.match(each, { fact: { content: 1 }, freshness: { kind: 'fresh' } });
  t.equal(source.asked.length, 0);
  source.clock.time += 61_000;
  const found = await readByFour();
  for (const each of found) t.match(each, { fact: { content: 2, version: 2, source: { freshness: { etag: 'two', lastVerifiedAt: '2026-01-01T00:01:01.000Z' } } }, freshness: { kind: 'fresh' } });
  t.equal(source.asked.length, 1);
  t.match(source.asked[0], { content: 1, source: { freshness: { etag: 'one' } } });
});

onEachEngine('a source that has not changed makes no version', async (t, engine) => {
  const source = await withSource(t, engine);
  source.answer = async () => ({ kind: 'unchanged' });
  await source.memory.facts.put(copy('on-read'));
  source.clock.time += 61_000;
  t.match(await source.memory.facts.get(name), { fact: { content: 1, version: 1 }, freshness: { kind: 'fresh' } });
  source.clock.time += 59_000;
  await source.memory.facts.get(name);
  t.equal(source.asked.length, 1, 'and the copy is good for as long again');
});

onEachEngine('when the source fails or is too slow the stale copy is served, and said to be stale', async (t, engine) => {
  const source = await withSource(t, engine);
  await source.memory.facts.put(copy('on-read'));
  source.clock.time += 61_000;
  source.answer = async () => { throw new Error('the line is dead'); };
  t.match(await source.memory.facts.get(name), { fact: { content: 1 }, freshness: { kind: 'stale', since: '2026-01-01T00:01:00.000Z', error: /the line is dead/ } });
  source.answer = () => new Promise(() => undefined);
  t.match(await source.memory.facts.get(name), { fact: { content: 1 }, freshness: { kind: 'stale', error: /500 ms/ } });
  await t.rejects(source.memory.facts.refresh(name), { code: 'refresh-failed' });
  await source.memory.facts.put(copy('on-read', { id: 'lost', source: { kind: 'blob', freshness: { ttlSeconds: 0 }, refresh: { strategy: 'on-read', handler: 'constructor' } } }));
  t.match(await source.memory.facts.get({ scope, id: 'lost' }), { freshness: { kind: 'stale', error: /handler/ } });
});

onEachEngine('a version that is put while the source is asked is the newer one', async (t, engine) => {
  const source = await withSource(t, engine);
  await source.memory.facts.put(copy('on-read'));
  source.clock.time += 61_000;
  source.answer = async () => (await source.memory.facts.put(copy('on-read', { content: 'put by hand' })), { kind: 'changed', content: 'refreshed' });
  t.match(await source.memory.facts.get(name), { fact: { content: 'put by hand', version: 2 }, freshness: { kind: 'fresh' } });
});

onEachEngine('manual and background copies are served stale until somebody asks', async (t, engine) => {
  const source = await withSource(t, engine);
  await source.memory.facts.put(copy('manual'));
  source.clock.time += 61_000;
  t.match(await source.memory.facts.get(name), { fact: { content: 1 }, freshness: { kind: 'stale', since: '2026-01-01T00:01:00.000Z' } });
  t.strictSame(await source.memory.facts.refreshStale({ scope }), { refreshed: 0, failed: [] });
  t.match(await source.memory.facts.refresh(name), { content: 2, version: 2 });
  t.match(await source.memory.facts.get(name), { freshness: { kind: 'fresh' } });
});

onEachEngine('stale background copies are refreshed by priority, so many at once, so many at all', async (t, engine) => {
  const source = await withSource(t, engine);
  for (const [id, priority] of [['low', 1], ['high', 9], ['middle', 5], ['lowest', -1]] as const) await source.memory.facts.put(copy('background', { id }, priority));
  await source.memory.facts.put({ ...copy('background', { id: 'theirs' }, 10), scope: { tenantId: 'other' } });
  source.clock.time += 61_000;
  let running = 0;
  let most = 0;
  source.answer = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    if (source.asked.length === 2) throw new Error('no');
    return { kind: 'unchanged' };
  };
  const done = await source.memory.facts.refreshStale({ scope, limit: 3, concurrency: 2 });
  t.match(done, { refreshed: 2, failed: [{ scope, error: /no/ }] });
  t.strictSame(source.asked.map(({ id }) => id), ['high', 'middle', 'low']);
  t.equal(most, 2);
});

onEachEngine('a tool of a pack can be asked, through a pack service', async (t, engine) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('acme.price', 'price.mjs')] }), {
    'price.mjs': `export const handler = ({ fact }, ctx) => fact.source.freshness.etag === 'v2' ? { unchanged: true } : { content: { was: fact.content, tenant: ctx.tenantId }, etag: 'v2' };\n`,
  });
  const service = await serve(t, { pack, args: ['--min-threads', '1'] });
  const tool = (id: string): ReturnType<typeof refreshByTool> => refreshByTool({ url: `http://127.0.0.1:${service.port}`, token: service.token, tool: { id } });
  const memory = await emptyMemory(t, engine, { refresh: { ask: tool('acme.price'), lost: tool('acme.lost') } });
  await memory.facts.put(copy('manual'));
  t.match(await memory.facts.refresh(name), { version: 2, content: { was: 1, tenant: 'acme' }, source: { freshness: { etag: 'v2' } } });
  t.match(await memory.facts.refresh(name), { version: 2 });
  await memory.facts.put(copy('manual', { id: 'lost', source: { kind: 'mcp-tool', freshness: {}, refresh: { strategy: 'manual', handler: 'lost' } } }));
  await t.rejects(memory.facts.refresh({ scope, id: 'lost' }), { code: 'refresh-failed', message: /tool-not-in-pack/ });
});
