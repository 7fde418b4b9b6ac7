/** A thread is started, or there is a reason why not; nothing is thrown. */
import { once } from 'node:events';
import { mkdirSync, rmdirSync } from 'node:fs';
import t from 'tap';
import { startWorker } from '../../src/threads/host/start-worker.js';
import { cannotLimit, runWithoutThreads } from '../limited-process.js';
import { temporaryFolder } from '../temporary-pack.js';

const saysWhereItIs = new URL(`data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.postMessage(process.cwd());")}`);

async function folderOfThread(): Promise<unknown> {
  const start = startWorker(saysWhereItIs, {});
  if (start.kind === 'failed') throw new Error(start.reason);
  const [folder] = (await once(start.worker, 'message')) as [unknown];
  return folder;
}

t.test('what keeps a thread from starting is the reason', async (t) => {
  t.match(startWorker(saysWhereItIs, { execArgv: ['--no-such-flag'] }), { kind: 'failed', reason: /--no-such-flag/ });
  t.match(startWorker(saysWhereItIs, { workerData: () => {} }), { kind: 'failed', reason: /could not be cloned/ });
});

t.test('a refusal of the system comes with the limits to check', { skip: cannotLimit }, async (t) => {
  const source = `import { startWorker } from '${new URL('../../src/threads/host/start-worker.js', import.meta.url).href}';
console.log(startWorker(new URL(${JSON.stringify(saysWhereItIs.href)}), {}));
`;
  t.match(await runWithoutThreads(temporaryFolder(t), source), /kind: 'failed'[^]*EAGAIN[^]*ulimit -u[^]*pids\.max/);
});

t.test('a thread starts although the working directory was removed, also where another has taken its name', async (t) => {
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  for (const isReplaced of [false, true]) {
    const folder = temporaryFolder(t);
    process.chdir(folder);
    t.equal(process.cwd(), folder);
    t.equal(await folderOfThread(), folder, 'one that exists is kept');
    rmdirSync(folder);
    if (isReplaced) mkdirSync(folder);
    t.equal(await folderOfThread(), '/');
    t.equal(process.cwd(), '/');
  }
});
