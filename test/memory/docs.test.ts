/** The recipe of docs/memory.md for checking a hash by hand, on every vector. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type BreakKind, describeBreak, type LogEntry } from '../../src/memory/index.js';
import { projectRoot } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const page = readFileSync(join(projectRoot, 'docs/memory.md'), 'utf8');

t.test('the recipe gives the entryHash of every vector', async (t) => {
  const recipe = /^head -n 1 log\.jsonl \| sed .*sha256sum$/m.exec(page)?.[0] ?? '';
  t.not(recipe, '');
  const folder = temporaryFolder(t);
  const lines = readFileSync(join(projectRoot, 'test/fixtures/memory/chain.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines.filter((each) => !each.startsWith('{"head"'))) {
    writeFileSync(join(folder, 'log.jsonl'), `${line}\n`);
    const printed = execFileSync('sh', ['-ec', recipe], { cwd: folder, encoding: 'utf8' });
    const { id, entryHash } = JSON.parse(line) as LogEntry;
    t.equal(`sha256:${printed.split(' ')[0] ?? ''}`, entryHash, id);
  }
});

t.test('the ways a chain can be broken are those that verify tells', async (t) => {
  const named = /how it was broken: (.*?)\./.exec(page)?.[1]?.match(/`(\w+)`/g)?.map((name) => name.slice(1, -1)) as BreakKind[];
  t.equal(named.length, 6);
  for (const how of named) t.notMatch(describeBreak({ tenantId: 'a', runId: 'b', sequence: 1, how }), 'undefined');
});
