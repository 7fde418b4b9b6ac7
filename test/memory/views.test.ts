/** History, working memory and recall are queries, each within its scope. */
import type { Test } from 'tap';
import type { Embedding, Memory, NewFact } from '../../src/memory/index.js';
import { emptyMemory, type Engine, everyEngine, onEachEngine } from './engines.js';

const scope = { tenantId: 'acme', threadId: 'thread-1' };

/** Axes that a text's words turn its vector to: near in meaning is what shares an axis, not a word. */
const axes = [['cat', 'kitten', 'feline'], ['car', 'truck', 'vehicle'], ['rain', 'storm', 'weather']];
const embedding: Embedding = {
  model: 'three-axes',
  embed: async (texts) => texts.map((text) => axes.map((words, at) => 0.01 * (at + 1) + words.filter((word) => text.includes(word)).length)),
};

const fact = (id: string, text: string, more: Partial<NewFact> = {}): NewFact => ({ scope: { tenantId: 'acme' }, id, type: 'note', content: { text }, ...more });

onEachEngine('the history of a thread is what was said in it, in all its runs, oldest first', async (t, engine) => {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const memory = await emptyMemory(t, engine, { now: () => (time += 1000) });
  const say = async (runId: string, payload: string, kind: 'user-message' | 'agent-message' | 'system-message' | 'internal-thought', threadId = 'thread-1', tenantId = 'acme'): Promise<unknown> =>
    memory.log.append({ tenantId, runId, kind, payload, scope: { threadId } });
  await say('r1', '1', 'system-message');
  await say('r1', '2', 'user-message');
  await say('r1', 'hm', 'internal-thought');
  await say('r9', 'elsewhere', 'user-message', 'thread-2');
  await say('r9', "another tenant's", 'user-message', 'thread-1', 'other');
  await say('r0', '3', 'agent-message');
  await say('r1', '4', 'user-message');
  const texts = async (options: object): Promise<unknown[]> => (await memory.views.history({ scope, ...options })).map(({ payload }) => payload);
  t.strictSame(await texts({}), ['1', '2', '3', '4']);
  t.strictSame(await texts({ limit: 2 }), ['3', '4']);
  const [before] = await memory.views.history({ scope, limit: 2 });
  t.strictSame(await texts({ limit: 2, before }), ['1', '2']);
  t.strictSame(await texts({ scope: { ...scope, userId: 'u' } }), []);
  await t.rejects(memory.views.history({ scope: { tenantId: 'acme' } }), { code: 'invalid-argument' });
});

onEachEngine('the working memory of a run is what its entries have caused', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  const cause = async (runId: string, tenantId = 'acme'): Promise<string[]> => [(await memory.log.append({ tenantId, runId, kind: 'internal-thought' })).id];
  const working = { type: 'working-memory' };
  await memory.facts.put(fact('plan', 'first', { ...working, causedByLogId: await cause('r1') }));
  await memory.facts.put(fact('plan', 'second', { ...working, causedByLogId: [...(await cause('r1')), ...(await cause('r2'))] }));
  await memory.facts.put(fact('goal', 'goal', { ...working, causedByLogId: await cause('r1') }));
  await memory.facts.put(fact('note', 'no working memory', { causedByLogId: await cause('r1') }));
  await memory.facts.put({ ...fact('plan', "another tenant's", { ...working, causedByLogId: await cause('r1', 'other') }), scope: { tenantId: 'other' } });
  const of = async (runId: string): Promise<unknown[]> => (await memory.views.working({ scope: { tenantId: 'acme' }, runId })).map(({ id, version }) => [id, version]);
  t.strictSame(await of('r1'), [['plan', 2], ['goal', 1]]);
  t.strictSame(await of('r2'), [['plan', 2]]);
  t.strictSame(await of('r3'), []);
});

async function stocked(t: Test, engine: Engine): Promise<Memory> {
  const memory = await emptyMemory(t, engine, { embedding });
  await memory.facts.put(fact('sleeping', 'The kitten sleeps on the warm engine'));
  await memory.facts.put(fact('racing', 'A truck wins the race'));
  await memory.facts.put(fact('cloudy', 'The storm broke the engine of the ship'));
  await memory.facts.put(fact('named', { de: 'Die Katze heißt Ümit' } as unknown as string, { type: 'name' }));
  await memory.facts.put({ ...fact('theirs', 'The kitten and the engine are not ours'), scope: { tenantId: 'other' } });
  await memory.facts.put({ ...fact('mine', 'My kitten likes the engine'), scope: { tenantId: 'acme', userId: 'u1' } });
  return memory;
}

const recalled = async (memory: Memory, query: string, more: object = {}): Promise<string[]> =>
  (await memory.views.recall({ scope: { tenantId: 'acme' }, query, ...more })).map((found) => found.fact.id);

onEachEngine('facts are recalled by their words', async (t, engine) => {
  const memory = await stocked(t, engine);
  const by = { by: 'keyword' };
  t.strictSame((await recalled(memory, 'engine', by)).sort(), ['cloudy', 'mine', 'sleeping']);
  t.strictSame(await recalled(memory, 'STORM ship?', by), ['cloudy'], 'in any case, past any mark');
  t.equal((await recalled(memory, 'engine storm', by))[0], 'cloudy', 'more of the words is better');
  t.strictSame(await recalled(memory, 'ümit', by), ['named']);
  t.strictSame(await recalled(memory, 'umit', by), [], 'a letter is not another one');
  t.strictSame(await recalled(memory, "'); DROP TABLE memory_log; -- \" * NEAR(", by), []);
  t.strictSame(await recalled(memory, '...', by), []);
  t.strictSame(await recalled(memory, `storm ${'x'.repeat(5000)} ${Array.from({ length: 5000 }, (_, at) => `w${at}`).join(' ')}`, by), ['cloudy'], 'a query may be long');
  t.strictSame(await recalled(memory, 'engine', { ...by, type: 'name' }), []);
  t.equal((await recalled(memory, 'engine', { ...by, limit: 2 })).length, 2);
  await memory.facts.put(fact('cloudy', 'The sun shines'));
  t.strictSame(await recalled(memory, 'storm', by), [], 'only the latest versions');
  await memory.facts.delete({ scope: { tenantId: 'acme' }, id: 'racing' }, { actor: 'a', reason: 'r' });
  t.strictSame(await recalled(memory, 'truck', by), []);
}, everyEngine);

onEachEngine('facts are recalled by their meaning', async (t, engine) => {
  const memory = await stocked(t, engine);
  t.strictSame((await recalled(memory, 'feline', { by: 'meaning' })).slice(0, 2), ['sleeping', 'mine']);
  t.equal((await recalled(memory, 'vehicle', { by: 'meaning' }))[0], 'racing');
  t.strictSame(await recalled(memory, 'weather', { by: 'meaning', limit: 1 }), ['cloudy']);
  t.match((await memory.facts.get({ scope: { tenantId: 'acme' }, id: 'racing' }))?.fact, { embeddingModel: 'three-axes' });
}, everyEngine);

onEachEngine('words and meaning are fused: what is near the top of both is on top', async (t, engine) => {
  const memory = await stocked(t, engine);
  t.equal((await recalled(memory, 'feline race'))[0], 'racing', 'one word and a little of the meaning');
  t.equal((await recalled(memory, 'feline sleeps engine'))[0], 'sleeping');
  const scores = (await memory.views.recall({ scope: { tenantId: 'acme' }, query: 'feline sleeps engine' })).map(({ score }) => score);
  t.strictSame(scores, [...scores].sort((one, other) => other - one));
});

onEachEngine('recall keeps to its scope: filtered first, limited after', async (t, engine) => {
  const memory = await stocked(t, engine);
  // A hundred better answers that are not in the scope must not crowd out the one that is.
  for (let at = 0; at < 100; at++) await memory.facts.put({ ...fact(`t${at}`, 'kitten engine kitten engine'), scope: { tenantId: 'other' } });
  for (const by of ['keyword', 'meaning', 'both']) {
    t.strictSame(await recalled(memory, 'kitten engine', { by, limit: 1, scope: { tenantId: 'acme', userId: 'u1' } }), ['mine'], by);
    t.notOk((await recalled(memory, 'kitten engine', { by, limit: 1000 })).some((id) => id.startsWith('t')), by);
  }
});

onEachEngine('without an embedding function there is no meaning to recall by', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  await memory.facts.put(fact('n', 'kitten'));
  t.strictSame(await recalled(memory, 'kitten'), ['n'], 'but words');
  await t.rejects(recalled(memory, 'kitten', { by: 'meaning' }), { code: 'no-embedding' });
});
