/** What is exported can be checked, and comes back the same. */
import { emptyMemory, all, onEachEngine, everyEngine, type Engine } from './engines.js';
import type { Memory } from '../../src/memory/index.js';

async function stocked(memory: Memory): Promise<string[]> {
  for (const [tenantId, runId, count] of [['acme', 'run-1', 1200], ['acme', 'run-2', 3], ['other', 'run-1', 2]] as const) {
    await memory.log.appendAll(Array.from({ length: count }, (_, at) => ({ tenantId, runId, kind: 'tool-call', actor: 'a', payload: { at, text: 'ü"\n\u0000', big: 1e21 }, scope: { userId: 'u' }, id: `${runId}-${at}` })));
  }
  return all(memory.log.export('all-tenants'));
}

const [sqlite, , postgres] = everyEngine as [Engine, Engine, Engine];

onEachEngine('a log goes from one engine to the other and back, the same to the byte', async (t, engine) => {
  const from = await emptyMemory(t, engine);
  const lines = await stocked(from);
  t.equal(lines.length, 1205 + 3);
  t.strictSame(lines.filter((line) => line.startsWith('{"head"')).map((line) => (JSON.parse(line) as { head: { sequence: number } }).head.sequence), [1199, 2, 1]);
  const to = await emptyMemory(t, engine.name === 'sqlite' ? postgres : sqlite);
  t.strictSame(await to.log.import(lines), { chains: 3, entries: 1205, known: 0 });
  t.strictSame(await all(to.log.export('all-tenants')), lines);
  t.strictSame(await to.log.verify('all-tenants', { heads: await all(from.log.heads('all-tenants')) }), { chains: 3, entries: 1205, breaks: [] });
  t.match(await to.log.append({ tenantId: 'acme', runId: 'run-2', kind: 'retrieval' }), { sequence: 3 }, 'and goes on from there');
});

onEachEngine('an import brings what is new, once', async (t, engine) => {
  const from = await emptyMemory(t, engine);
  const to = await emptyMemory(t, engine);
  await to.log.import(await stocked(from));
  await from.log.append({ tenantId: 'acme', runId: 'run-2', kind: 'retrieval' });
  const lines = await all(from.log.export({ tenantId: 'acme' }));
  t.strictSame(await to.log.import(lines), { chains: 2, entries: 1, known: 1203 });
  t.strictSame(await to.log.import(lines), { chains: 2, entries: 0, known: 1204 });
  t.strictSame(await all(to.log.export({ tenantId: 'acme' })), lines);
});

onEachEngine('a file that is not what was exported is refused at its line, and brings nothing', async (t, engine) => {
  const lines = await stocked(await emptyMemory(t, engine));
  const change = (at: number, change: (line: string) => string): string[] => lines.map((line, index) => (index === at ? change(line) : line));
  const broken: [string, string[], number][] = [
    ['a changed payload', change(700, (line) => line.replace('"at":700', '"at":701')), 701],
    ['a changed cause', change(700, (line) => line.replace('{"', '{"causedByLogId":"run-1-1","')), 1201],
    ['a changed content hash', change(700, (line) => line.replace(/"contentHash":"sha256:[0-9a-f]{64}",/, '')), 1201],
    ['a removed line', lines.filter((_, at) => at !== 700), 701],
    ['a removed first line', lines.slice(1), 1],
    ['two swapped lines', lines.map((line, at) => lines[at === 700 ? 701 : at === 701 ? 700 : at] ?? line), 701],
    ['a line twice', [...lines.slice(0, 700), ...lines.slice(699)], 701],
    ['a cut tail of a run', lines.filter((_, at) => at < 1100 || at >= 1200), 1101],
    ['a cut tail of the file', lines.slice(0, -2), lines.length - 2],
    ['a head that is missing', lines.filter((_, at) => at !== 1200), 1201],
    ['no JSON', change(700, (line) => line.slice(1)), 701],
    ['no record', change(700, () => '{"kind":"tool-call"}'), 701],
    ['no head', change(1200, () => '{"head":null}'), 1201],
  ];
  const memory = await emptyMemory(t, engine);
  for (const [what, given, line] of broken) await t.rejects(memory.log.import(given), { code: 'broken-import', message: new RegExp(`^Line ${line}:`) }, what);
  t.strictSame(await memory.log.verify('all-tenants'), { chains: 0, entries: 0, breaks: [] });
});

onEachEngine('an import does not go over what went another way here', async (t, engine) => {
  const lines = await stocked(await emptyMemory(t, engine));
  const memory = await emptyMemory(t, engine);
  await memory.log.append({ tenantId: 'acme', runId: 'run-2', kind: 'user-message' });
  await t.rejects(memory.log.import(lines), { code: 'broken-import', message: /another way/ });
  await memory.log.append({ tenantId: 'other', runId: 'mine', kind: 'user-message', id: 'run-1-1' });
  await t.rejects(memory.log.import(lines.filter((line) => line.includes('other'))), { code: 'broken-import', message: /id/ });
  t.match(await memory.log.verify('all-tenants'), { entries: 2, breaks: [] });
});
