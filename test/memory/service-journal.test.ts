import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { failsWith, outputOf, verdictOf } from '../answers.js';
import { problemsOf } from '../boot-problems.js';
import { checkCall, ids, type RunningService, serve, toolCall, until } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';
import { all, memoryAt } from './engines.js';

const modules = {
  'echo.mjs': 'export const handler = (input, ctx) => ({ ...input, seen: ctx.secrets.KEY ?? null });\n',
  'fail.mjs': "export const handler = () => { throw new Error('no'); };\n",
  'check.mjs': "export const evaluate = ({ passes }) => ({ passed: passes, reason: 'as told' });\n",
};
const pack = (t: Test): string =>
  temporaryPack(t, indexOf({ tools: [toolEntry('echo', 'echo.mjs'), toolEntry('fail', 'fail.mjs')], guardrails: [guardrailEntry('polite', 'check.mjs')] }), modules);

async function serveWithJournal(t: Test, ...args: string[]): Promise<{ service: RunningService; folder: string; file: string; url: string }> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'journal.db');
  const url = `sqlite:${file}`;
  return { service: await serve(t, { pack: pack(t), args: ['--journal', url, ...args] }), folder, file, url };
}

t.test('the calls of a run are in the journal once the service has stopped: those of tools, and the checks that failed', async (t) => {
  const { service, url, folder } = await serveWithJournal(t);
  outputOf(await service.invoke(toolCall('echo', { name: 'Ada' }, { ctx: { ...ids, secrets: { KEY: 'key-123456' } } })));
  failsWith(t, await service.invoke(toolCall('fail')), 'handler-throw');
  verdictOf(await service.invoke(checkCall('polite', { passes: true })));
  verdictOf(await service.invoke(checkCall('polite', { passes: false })));
  failsWith(t, await service.invoke('{'), 'malformed-message');
  const large = 'x'.repeat(100_000);
  t.equal(outputOf(await service.invoke(toolCall('echo', { large })))['large'], large, 'a body that moves to its thread');
  t.equal((await service.stop()).code, 0);
  const memory = await memoryAt(t, url);
  t.strictSame((await memory.log.verify('all-tenants')).breaks, []);
  t.match(await all(memory.log.read(ids)), [
    { kind: 'tool-call', actor: 'echo', payload: { inputHash: /^sha256:/ } },
    { kind: 'tool-result', actor: 'echo', payload: { outcome: 'ok', outputHash: /^sha256:/ } },
    { kind: 'tool-call', actor: 'fail' },
    { kind: 'tool-result', actor: 'fail', payload: { outcome: 'handler-throw' } },
    { kind: 'guardrail-triggered', actor: 'polite', payload: { outcome: 'ok' } },
    { kind: 'tool-call', actor: 'echo' },
    { kind: 'tool-result', actor: 'echo' },
  ]);
  for (const name of readdirSync(folder)) t.notOk(readFileSync(join(folder, name)).includes('key-123456'), `${name} holds no secret`);
});

t.test('payloads are journalled whole when asked for, without the secrets of their calls', async (t) => {
  const { service, url } = await serveWithJournal(t, '--journal-payloads', 'whole');
  t.match(outputOf(await service.invoke(toolCall('echo', { name: 'Ada' }, { ctx: { ...ids, secrets: { KEY: 'key-123456' } } }))), { seen: 'key-123456' });
  await service.stop();
  const memory = await memoryAt(t, url);
  t.match(await all(memory.log.read(ids)), [{ payload: { input: { name: 'Ada' } } }, { payload: { output: { name: 'Ada', seen: '[secret]' } } }]);
});

t.test('a journal that is required keeps the service unready while it cannot be written, and no call is lost', async (t) => {
  const { service, url, file } = await serveWithJournal(t, '--journal-required', 'yes');
  t.equal((await service.get('/readyz')).status, 200);
  const holder = new Database(file);
  holder.exec("CREATE TRIGGER full BEFORE INSERT ON memory_log BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  outputOf(await service.invoke(toolCall('echo', { n: 1 })));
  t.match(await service.recorded('journal-behind', undefined, 30_000), { level: 'error' });
  t.strictSame((await service.get('/readyz')).body, { error: 'not ready' });
  outputOf(await service.invoke(toolCall('echo', { n: 2 })));
  holder.exec('DROP TRIGGER full');
  holder.close();
  await service.recorded('journal-keeps-up', undefined, 30_000);
  await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready again');
  await service.stop();
  const memory = await memoryAt(t, url);
  t.equal((await all(memory.log.read(ids))).length, 4);
});

t.test('a journal that cannot be opened keeps the service from starting', async (t) => {
  const problems = await problemsOf(t, 'boot-failed', { pack: pack(t), args: ['--journal', 'sqlite:/nowhere/at/all/journal.db'] });
  t.match(problems, [/Cannot open the journal/]);
});
