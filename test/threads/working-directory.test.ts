import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outputOf } from '../answers.js';
import { failure } from '../field-cases/calls.js';
import { packhostCommand, serve } from '../running-service.js';
import { indexOf, temporaryFolder, toolEntry } from '../temporary-pack.js';
import { call, faultyPack } from './faulty-pack.js';

/** The built command, started in a folder. */
const startedIn = (folder: string) => ['env', '-C', folder, ...packhostCommand] as const;

t.test('a service whose working directory is gone replaces its threads', async (t) => {
  const folder = temporaryFolder(t);
  const service = await serve(t, { pack: faultyPack(t), command: startedIn(folder), args: ['--min-threads', '1', '--max-threads', '2'] });
  rmSync(folder, { recursive: true });
  for (let round = 0; round < 3; round++) {
    failure(await call(service, 'exit'), 'handler-throw');
    t.strictSame(outputOf(await call(service, 'echo', { round })), { round });
  }
  t.equal(service.record('thread-failed'), undefined);
});

t.test('a service whose release folder is gone goes over to the next release', async (t) => {
  const base = temporaryFolder(t);
  const current = join(base, 'current');
  const release = (version: string): void => {
    const folder = join(base, version);
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.json'), JSON.stringify(indexOf({ artifactVersion: version, tools: [toolEntry('version', 'version.mjs'), toolEntry('exit', 'exit.mjs')] })));
    writeFileSync(join(folder, 'version.mjs'), `export const handler = () => ({ version: '${version}' });\n`);
    writeFileSync(join(folder, 'exit.mjs'), 'export const handler = () => process.exit(3);\n');
    symlinkSync(folder, `${current}-next`);
    renameSync(`${current}-next`, current);
  };
  release('release-1');
  const service = await serve(t, { pack: current, command: startedIn(current), args: ['--min-threads', '1', '--max-threads', '2'] });
  t.strictSame(outputOf(await call(service, 'version')), { version: 'release-1' });

  release('release-2');
  rmSync(join(base, 'release-1'), { recursive: true });
  service.child.kill('SIGHUP');
  await service.recorded('reloaded', ({ artifactVersion }) => artifactVersion === 'release-2');
  t.strictSame(outputOf(await call(service, 'version')), { version: 'release-2' });
  failure(await call(service, 'exit'), 'handler-throw');
  t.strictSame(outputOf(await call(service, 'version')), { version: 'release-2' });
});
