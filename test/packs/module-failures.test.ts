import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { launch, until } from '../running-service.js';
import { answeringModule, guardrailEntry, indexOf, passingModule, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

/** Serves a tool whose module is the source, beside a sound one; answers the problems of the start. */
async function problemsWith(t: Test, source: string, settings: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {}): Promise<string[]> {
  const index = indexOf({ tools: [toolEntry('sound', 'sound.mjs'), toolEntry('broken', 'tools/broken.mjs')] });
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, index, { 'sound.mjs': answeringModule, 'tools/broken.mjs': source }), ...settings });
  t.notOk(problems.some((problem) => problem.includes('"sound"')), 'the sound tool is not named');
  return problems;
}

t.test('modules without a handler or a check end the start, each by name', async (t) => {
  const nothing = 'export const nothing = 1;\n';
  const index = indexOf({
    tools: [toolEntry('no-handler', 'nothing.mjs'), toolEntry('handler-is-text', 'text.mjs'), toolEntry('sound', 'sound.mjs')],
    guardrails: [guardrailEntry('no-check', 'nothing.mjs'), guardrailEntry('sound-check', 'check.mjs')],
  });
  const modules = { 'nothing.mjs': nothing, 'text.mjs': `export const handler = 'text';\n`, 'sound.mjs': answeringModule, 'check.mjs': passingModule };
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, index, modules) });
  for (const id of ['no-handler', 'handler-is-text', 'no-check']) problemNaming(t, problems, id);
  t.notOk(problems.some((problem) => problem.includes('sound')), 'the sound ones are not named');
});

t.test('a module that throws while it loads ends the start, with what it threw and why', async (t) => {
  const problems = await problemsWith(t, `throw new Error('cannot start', { cause: new Error('no licence') });\n`);
  problemNaming(t, problems, 'broken', 'cannot start', 'no licence');
});

t.test('every module that cannot be loaded is named, with its reason', async (t) => {
  const sources = {
    'null.mjs': 'throw null;\n',
    'syntax.mjs': 'export const handler = () => ({ ;\n',
    'package.mjs': `import 'a-package-that-is-not-there';\nexport const handler = () => ({});\n`,
    'export.mjs': `import { absent } from './sound.mjs';\nexport const handler = () => ({ absent });\n`,
    'rejects.mjs': `await Promise.reject(new TypeError('rejected at the top'));\n`,
    'sound.mjs': answeringModule,
  };
  const tools = Object.keys(sources).map((path) => toolEntry(`tool-${path.replace('.mjs', '')}`, path));
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, indexOf({ tools }), sources) });
  problemNaming(t, problems, 'tool-null');
  problemNaming(t, problems, 'tool-syntax', 'token');
  problemNaming(t, problems, 'tool-package', 'a-package-that-is-not-there');
  problemNaming(t, problems, 'tool-export', 'absent');
  problemNaming(t, problems, 'tool-rejects', 'rejected at the top');
  t.notOk(problems.some((problem) => problem.includes('tool-sound')));
});

t.test('a module that exits while it loads ends the start by its name', async (t) => {
  for (const source of ['process.exit(0);\n', 'process.exit(7);\n']) problemNaming(t, await problemsWith(t, source), 'broken');
});

t.test('a module that is not loaded within --boot-timeout ends the start by its name', async (t) => {
  const hanging: Readonly<Record<string, string>> = {
    'a loop': 'for (;;);\n',
    'a wait for nothing': 'await new Promise(() => {});\n',
    'a wait with a timer': 'await new Promise(() => setInterval(() => {}, 1000));\n',
  };
  await Promise.all(Object.entries(hanging).map(async ([what, source]) => {
    const settings = what === 'a loop' ? { args: ['--boot-timeout', '3000', '--min-threads', '1'] } : { env: { KINDGI_PACK_SERVICE_BOOT_TIMEOUT: '3000' } };
    problemNaming(t, await problemsWith(t, `${source}${answeringModule}`, settings), 'broken');
    t.pass(what);
  }));
});

t.test('a service that is told to stop while its modules load does not stay', async (t) => {
  const marker = join(temporaryFolder(t), 'loading');
  const source = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\nawait new Promise(() => setInterval(() => {}, 1000));\n`;
  const service = launch(t, { pack: temporaryPack(t, indexOf({ tools: [toolEntry('slow', 'slow.mjs')] }), { 'slow.mjs': source }) });
  await until(() => existsSync(marker), 'the module to load');
  const { signal } = await service.stop('SIGTERM', 10_000);
  t.equal(signal, null, 'it handles the signal itself: the first process of a container has no default for it');
  t.equal(service.record('listening'), undefined);
});
