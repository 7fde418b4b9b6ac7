/** Many processes write to one run, and processes are killed while they write. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { all, type Engine, memoryAt, onEachEngine } from './engines.js';
import { noPostgres, PostgresServer } from './postgres-server.js';
import { startWriter, type Writer } from './writers/start-writer.js';

// Two hundred processes start one after the other, on cores that other tests share.
t.setTimeout(300_000);

onEachEngine('eight processes that append to one run leave no gap, no double, and a whole chain', async (t, engine) => {
  const url = await engine.url(t);
  const writers = Array.from({ length: 8 }, (_, at) => startWriter({ url, tenantId: 'acme', runId: 'run-1', batches: 40, perBatch: 1 + (at % 3), atOnce: 1 + (at % 2) }));
  for (const writer of writers) t.equal(await writer.ended, 0);
  const acknowledged = writers.flatMap((writer) => [...writer.acknowledged]);
  const memory = await memoryAt(t, url);
  const entries = await all(memory.log.read({ tenantId: 'acme', runId: 'run-1' }));
  t.strictSame(entries.map(({ sequence }) => sequence), entries.map((_, at) => at), 'sequences count up from 0');
  t.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  t.strictSame(acknowledged.sort(([one], [other]) => one - other), entries.map(({ sequence, id }) => [sequence, id]), 'each was acknowledged to one writer');
  t.strictSame(await memory.log.verify('all-tenants'), { chains: 1, entries: entries.length, breaks: [] });
});

/** Kills writers at random moments of their writing: at each kill, `together` of them write to the same database. */
async function killWriters(t: Test, url: string, kills: number, together: number): Promise<void> {
  const memory = await memoryAt(t, url);
  const runs: { readonly runId: string; readonly writer: Writer }[] = [];
  for (let round = 0; round * together < kills; round++) {
    const started = Array.from({ length: together }, (_, at) => {
      // Some runs have one writer after the other, some two at once.
      const runId = `run-${(round * together + at) % 7}`;
      return { runId, writer: startWriter({ url, tenantId: 'acme', runId, perBatch: 1 + (at % 4), atOnce: 1 + (round % 3) }) };
    });
    runs.push(...started);
    await Promise.all(started.map(async ({ writer }) => {
      await writer.until(1);
      await sleep(randomInt(0, 25));
      writer.kill();
      await writer.ended;
    }));
  }
  const acknowledged = runs.reduce((sum, { writer }) => sum + writer.acknowledged.size, 0);
  t.ok(acknowledged >= kills, `${acknowledged} appends were acknowledged`);
  t.equal(runs.filter(({ writer }) => writer.acknowledged.size > 0).length, runs.length, 'every writer was at work when it was killed');
  const found = new Map<string, string>();
  for (const runId of new Set(runs.map((run) => run.runId))) {
    for await (const { sequence, id } of memory.log.read({ tenantId: 'acme', runId })) found.set(`${runId} ${sequence}`, id);
  }
  const lost = runs.flatMap(({ runId, writer }) => [...writer.acknowledged].filter(([sequence, id]) => found.get(`${runId} ${sequence}`) !== id).map(([sequence]) => `${runId} ${sequence}`));
  t.strictSame(lost, [], 'every acknowledged append is there');
  const { entries, breaks } = await memory.log.verify('all-tenants');
  t.strictSame(breaks, [], `${entries} entries in whole chains`);
}

onEachEngine('a writer that is killed, a hundred times, loses nothing that was acknowledged', async (t, engine: Engine) => {
  await killWriters(t, await engine.url(t), 100, 4);
});

t.test('a PostgreSQL server that crashes under its writers loses nothing that was acknowledged', { skip: noPostgres }, async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.schema();
  const writers: Writer[] = [];
  for (let crash = 0; crash < 3; crash++) {
    const together = Array.from({ length: 3 }, (_, at) => startWriter({ url, tenantId: 'acme', runId: `run-${at}`, atOnce: 4 }));
    writers.push(...together);
    await Promise.all(together.map((writer) => writer.until(20)));
    await server.stop('SIGQUIT');
    for (const writer of together) t.not(await writer.ended, 0, 'a writer whose server is gone says so');
    await server.run();
  }
  const memory = await memoryAt(t, url);
  const ids = new Set<string>();
  for (const runId of ['run-0', 'run-1', 'run-2']) for await (const { sequence, id } of memory.log.read({ tenantId: 'acme', runId })) ids.add(`${sequence} ${id}`);
  t.strictSame(writers.flatMap(({ acknowledged }) => [...acknowledged].map(([sequence, id]) => `${sequence} ${id}`)).filter((one) => !ids.has(one)), []);
  t.strictSame((await memory.log.verify('all-tenants')).breaks, []);
});
