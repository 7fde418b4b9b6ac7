import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { projectRoot, until } from '../running-service.js';
import { examplePack } from './example-pack.js';

const run = promisify(execFile);

interface Served {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  /** The `curl` lines it printed, in order. */
  readonly curlLines: readonly string[];
  readonly printed: () => string;
}

async function start(t: Test): Promise<Served> {
  const child = spawn(process.execPath, [join(examplePack, 'serve.mjs'), '0'], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  t.teardown(() => child.kill('SIGKILL'));

  await until(() => {
    if (child.exitCode !== null) throw new Error(`it ended: ${errors}`);
    return printed.includes('Ctrl-C');
  }, 'the lines to paste', 30_000);
  return { child, exited, curlLines: printed.split('\n').filter((line) => line.startsWith('curl ')), printed: () => printed };
}

async function paste(line: string | undefined): Promise<unknown> {
  const { stdout } = await run('sh', ['-c', line ?? 'false']);
  return JSON.parse(stdout);
}

/** Where a printed line posts to, and with which token. */
function target(line = ''): { url: string; token: string } {
  const [, url = '', token = ''] = /(http:\S+) .*kindgi-pack-token: ([^']+)'/.exec(line) ?? [];
  return { url, token };
}

t.test('the printed lines work as they are, and Ctrl-C twice stops it cleanly', async (t) => {
  const { child, exited, curlLines, printed } = await start(t);
  const [summary, judgement] = [await paste(curlLines[0]), await paste(curlLines[1])];

  t.match(summary, {
    kind: 'result',
    output: {
      rowCount: 3,
      columns: [{ name: 'city', distinct: 3 }, { name: 'visitors', minimum: 80, maximum: 120, mean: 100, missing: 1 }],
    },
  });
  t.match(judgement, { kind: 'check-result', result: { passed: false, attributes: { counts: { email: 1 } } } });

  child.kill('SIGINT');
  child.kill('SIGINT');
  t.equal(await exited, 0);
  t.match(printed(), /Stopped\.\n$/);
});

t.test('a second Ctrl-C lets the call in flight end', async (t) => {
  const { child, exited, curlLines, printed } = await start(t);
  const { url, token } = target(curlLines[0]);
  const answer = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'kindgi-pack-token': token },
    body: JSON.stringify({ v: 2, kind: 'invoke', tool: { id: 'example.slow-report' }, input: { sections: ['one', 'two'], sectionMs: 500 }, ctx: { tenantId: 'you', runId: 'run-2' } }),
  });
  // The first section's record says that the call is running.
  let log = '';
  child.stderr?.on('data', (text: string) => (log += text));
  await until(() => log.includes('section done'), 'the report to be under way');

  child.kill('SIGINT');
  await until(() => printed().includes('Stopping'), 'the first signal to be taken');
  child.kill('SIGINT');
  t.match(await (await answer).json(), { kind: 'result', output: { finished: true, done: ['one', 'two'] } });
  t.equal(await exited, 0);
});

t.test('SIGTERM stops it as well', async (t) => {
  const { child, exited } = await start(t);
  child.kill('SIGTERM');
  t.equal(await exited, 0);
});
