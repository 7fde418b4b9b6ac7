/**
 * The hash of a chain is fixed. The vectors in test/fixtures/memory were made by another program in
 * another language from the contract's words; docs/memory.md shows how to check one by hand.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { type LogEntry, memorySchema } from '../../src/memory/index.js';
import { projectRoot } from '../running-service.js';
import { all, emptyMemory, onEachEngine } from './engines.js';

const fixture = (name: string): string => readFileSync(join(projectRoot, 'test/fixtures/memory', name), 'utf8');
const lines = fixture('chain.jsonl').trim().split('\n');
const vectors = JSON.parse(fixture('chain.json')) as { readonly entry: LogEntry; readonly hashed: string; readonly sealed: string; readonly seal: string }[];

onEachEngine('a chain made elsewhere is imported, verified and exported, the same to the byte', async (t, engine) => {
  const memory = await emptyMemory(t, engine);
  t.strictSame(await memory.log.import(lines), { chains: 1, entries: 5, known: 0 });
  t.strictSame(await all(memory.log.export('all-tenants')), lines);
  t.strictSame(await all(memory.log.read({ tenantId: 'acme', runId: 'run-1' })), vectors.map(({ entry }) => entry));
  t.strictSame((await memory.log.verify('all-tenants')).breaks, []);
});

onEachEngine('the same entries, appended here, get the same hashes', async (t, engine) => {
  const times = vectors.map(({ entry }) => Date.parse(entry.timestamp));
  const memory = await emptyMemory(t, engine, { now: () => times.shift() ?? 0 });
  for (const { entry, seal } of vectors) {
    const { id, kind, scope, runId, actor, payload, causedByLogId } = entry;
    const appended = await memory.log.append({
      tenantId: scope.tenantId, id, kind, scope, runId, payload, ...(actor === undefined ? {} : { actor }), ...(causedByLogId === undefined ? {} : { causedByLogId }),
    });
    t.strictSame(appended, entry);
    for await (const head of memory.log.heads('all-tenants')) t.match(head, { entryHash: entry.entryHash, seal });
  }
});

t.test('sha256sum gives each hash of the text it is taken of', async (t) => {
  const sum = (input: string): string => `sha256:${execFileSync('sha256sum', { input, encoding: 'utf8' }).split(' ')[0] ?? ''}`;
  for (const { entry, hashed, sealed, seal } of vectors) {
    t.equal(sum(hashed), entry.entryHash);
    t.equal(sum(sealed), seal);
  }
});

t.test('the schema takes every record, and not one with a field too many or too few', async (t) => {
  const ajv = new Ajv2020({ strictTypes: false });
  addFormatsModule.default(ajv);
  const validate = ajv.compile(memorySchema);
  for (const { entry } of vectors) {
    t.ok(validate(entry), entry.id);
    t.notOk(validate({ ...entry, seal: 'x' }));
    const { prevHash: _, ...less } = entry;
    t.notOk(validate(less));
  }
});
