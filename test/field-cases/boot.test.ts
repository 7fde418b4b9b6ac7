import { join } from 'node:path';
import t from 'tap';
import { fixturePack, launch, runToExit, until } from '../running-service.js';

t.test('a module that exits or hangs while it loads fails the boot by name, within the boot timeout (poolifier/poolifier#3211)', async (t) => {
  const boot = async (id: string, module: string, bootTimeoutMs: number): Promise<void> => {
    const index = join(fixturePack('never-finishes-loading'), `${id}.json`);
    const service = launch(t, { pack: 'never-finishes-loading', index, args: ['--min-threads', '1', '--boot-timeout', String(bootTimeoutMs)] });
    await until(() => service.ended, `the boot of ${id} to fail`, 60_000);
    t.strictSame(service.ended, { code: 1, signal: null }, id);
    const problems = (await service.recorded('boot-failed'))['problems'] as string[];
    t.ok(problems.some((problem) => problem.includes(id) || problem.includes(module)), `${id} is named: ${problems.join('; ')}`);
    t.notOk(problems.some((problem) => problem.includes('loads.well') || problem.includes('well.mjs')), 'the module that loads is not blamed');
    t.notOk(service.record('listening'), 'it never listened');
  };
  await Promise.all([boot('loads.exits', 'exits.mjs', 60_000), boot('loads.exits-cleanly', 'exits-cleanly.mjs', 60_000)]);
  await Promise.all([boot('loads.loops', 'loops.mjs', 10_000), boot('loads.waits', 'waits.mjs', 10_000), boot('loads.waits-for-nothing', 'waits-for-nothing.mjs', 10_000)]);
});

t.test('a boot that fails on an import says the cause, however deep, for every module at once (aws/aws-lambda-nodejs-runtime-interface-client#178)', async (t) => {
  const service = await runToExit(t, { pack: 'import-fails-with-a-cause' }, 60_000);
  t.equal(service.ended?.code, 1);
  const problems = (await service.recorded('boot-failed'))['problems'] as string[];
  const reasons: Readonly<Record<string, readonly string[]>> = {
    'needs.licence': ['cannot start', 'the licence file is missing'],
    'needs.package': ['no-such-package-anywhere'],
    'needs.syntax': ['SyntaxError'],
    'needs.nested': ['outer', 'middle', 'the innermost reason'],
  };
  for (const [id, texts] of Object.entries(reasons)) {
    const problem = problems.find((one) => one.includes(id)) ?? '';
    for (const text of texts) t.ok(problem.includes(text), `${id}: "${text}" is in "${problem}"`);
  }
});
