import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { farDeadline } from './calls.js';

t.setTimeout(300_000);

const reloads = 200;
const settled = 50;

const residentMiB = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;

t.test('two hundred versions of a module, each loaded by a new thread, leave memory level (nodejs/help#2806)', async (t) => {
  const folder = t.testdir({
    'index.json': JSON.stringify({
      v: 1, packId: 'reloads', packVersion: '1.0.0', artifactVersion: '1', publishedAt: '2026-01-01T00:00:00.000Z',
      tools: [{ id: 'version', modulePath: 'version.mjs', input: {}, output: {} }], guardrails: [], agents: [], flows: [],
    }),
  });
  // Each version brings a megabyte of its own: kept in one thread, two hundred would be seen.
  const write = (version: number): void => {
    writeFileSync(join(folder, 'next.mjs'), `const ballast = new Array(131_072).fill(${version}.5);\nexport const handler = () => ballast[0] - 0.5;\n`);
    // In one step: a thread that loads meanwhile finds the old module or the new one, never half of one.
    renameSync(join(folder, 'next.mjs'), join(folder, 'version.mjs'));
  };
  write(0);
  const service = await serve(t, { pack: folder, args: ['--min-threads', '1', '--max-threads', '2', '--max-calls-per-worker', '1'] });
  const seen = new Set<unknown>();
  let early = 0;
  for (let version = 1; version <= reloads; version++) {
    write(version);
    seen.add(outputOf(await service.invoke(toolCall('version'), farDeadline)));
    if (version === settled) early = residentMiB(service.pid);
  }
  t.ok(seen.size > settled, `new code goes live with new threads: ${seen.size} versions answered`);
  const late = residentMiB(service.pid);
  t.ok(late < early + 60, `resident memory went from ${Math.round(early)} to ${Math.round(late)} MiB`);
});
