import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exitCodes } from '../../src/cli/exit-codes.js';
import { packhostCommand, serve } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

const pack = temporaryPack(t, indexOf({
  tools: [
    toolEntry('echo', 'echo.mjs', { output: true, input: { type: 'object', properties: { times: { type: 'integer' } } } }),
    toolEntry('context', 'context.mjs'),
    toolEntry('prints', 'prints.mjs'),
    toolEntry('throws', 'throws.mjs'),
    toolEntry('never', 'never.mjs'),
    toolEntry('pauses', 'pauses.mjs', { pauses: true }),
    toolEntry('versioned', 'one.mjs'),
    toolEntry('versioned', 'two.mjs', { version: '2.0.0' }),
  ],
  guardrails: [guardrailEntry('short', 'short.mjs')],
}), {
  'echo.mjs': 'export const handler = (input) => input;',
  'context.mjs': 'export const handler = (_input, { tenantId, runId, secrets }) => ({ tenantId, runId, secrets });',
  'prints.mjs': 'export const handler = () => { console.error("printed"); return { answered: true }; };',
  'throws.mjs': "export const handler = () => { throw new RangeError('too far'); };",
  'never.mjs': 'export const handler = () => new Promise(() => {});',
  'pauses.mjs': "import { pause } from 'packhost/sdk'; export const handler = () => pause({ name: 'approval' });",
  'one.mjs': 'export const handler = () => ({ from: 1 });',
  'two.mjs': 'export const handler = () => ({ from: 2 });',
  'short.mjs': 'export const evaluate = ({ most = 3 }, { output, tenantId }) => ({ passed: output.length <= most, reason: tenantId });',
});
const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '2'] });
const url = `http://127.0.0.1:${service.port}`;
const folder = temporaryFolder(t);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `packhost call` to its end, as from a shell: without tap's instruments in it. */
function run(args: readonly string[], { stdin = '', env = {} }: { stdin?: string; env?: Record<string, string> } = {}): Promise<Run> {
  const [program, ...rest] = packhostCommand;
  return new Promise((resolve) => {
    const child = execFile(program, [...rest, 'call', ...args], { env: { PATH: process.env['PATH'], KINDGI_PACK_SERVICE_TOKEN: service.token, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin?.end(stdin);
  });
}
const call = (...args: readonly string[]): Promise<Run> => run([...args, '--url', url]);

t.test('the output of a tool is alone on stdout, as JSON', async (t) => {
  t.strictSame(await call('echo', '--input', '{"times":2,"text":"é"}'), { code: 0, stdout: '{"times":2,"text":"é"}\n', stderr: '' });
  t.match(await call('echo'), { code: 0, stdout: '{}\n' });
  t.match(await call('echo', '--input-file', file('input.json', '{"from":"file"}')), { stdout: '{"from":"file"}\n' });
  t.match(await run(['echo', '-', '--url', url], { stdin: '{"from":"stdin"}' }), { stdout: '{"from":"stdin"}\n' });
  t.match(await run(['echo', '--input-file', '-', '--url', url], { stdin: '{"from":"stdin"}' }), { stdout: '{"from":"stdin"}\n' });
  t.match(await call('versioned', '--tool-version', '2.0.0'), { stdout: '{"from":2}\n' });
});

t.test('a call is for the tenant and run that are named, with secrets of the environment', async (t) => {
  const args = ['context', '--tenant', 'acme', '--run', 'run-7', '--secret', 'ONE', '--secret', 'TWO', '--url', url];
  const { stdout } = await run(args, { env: { ONE: '1', TWO: '2', THREE: '3' } });
  t.strictSame(JSON.parse(stdout), { tenantId: 'acme', runId: 'run-7', secrets: { ONE: '1', TWO: '2' } });
});

t.test('a check prints its verdict, and its exit code says it too', async (t) => {
  const trace = file('trace.json', '{"output":"four"}');
  t.match(await call('--check', 'short', '--config', '{"most":4}', '--trace', trace), { code: exitCodes.answered.code, stdout: '{"passed":true,"reason":"local"}\n' });
  t.match(await call('--check', 'short', '--trace', trace), { code: exitCodes.failedCheck.code, stdout: '{"passed":false,"reason":"local"}\n' });
});

t.test('the exit code says whose fault it is, stdout stays empty', async (t) => {
  const expectations: readonly [args: readonly string[], code: number, says: RegExp][] = [
    [['nowhere'], exitCodes.caller.code, /tool-not-in-pack/],
    [['echo', '--input', '{"times":"two"}'], exitCodes.caller.code, /input-validation-failed.*\n.*\/times/],
    [['throws'], exitCodes.pack.code, /handler-throw.*too far[^]*throws\.mjs/],
    [['never', '--timeout', '50'], exitCodes.ended.code, /deadline-exceeded/],
    [['pauses'], exitCodes.caller.code, /pause-not-available/],
    [['--check', 'nowhere'], exitCodes.caller.code, /check-not-in-pack/],
  ];
  for (const [args, code, says] of expectations) {
    const ended = await call(...args);
    t.match(ended, { code, stdout: '' }, args.join(' '));
    t.match(ended.stderr, says);
  }
});

t.test('a service that refuses or cannot be reached is an exit code of its own', async (t) => {
  const { code } = exitCodes.service;
  t.match(await run(['echo', '--url', url], { env: { KINDGI_PACK_SERVICE_TOKEN: 'wrong' } }), { code, stdout: '', stderr: /401/ });
  t.match(await run(['echo', '--url', 'http://127.0.0.1:2']), { code, stdout: '', stderr: /127\.0\.0\.1:2/ });
  t.match(await run(['echo', '--pack', join(folder, 'nowhere')]), { code, stdout: '', stderr: /nowhere/ });
});

t.test('arguments that cannot be used are named, all at once', async (t) => {
  const { code } = exitCodes.unusable;
  const all = await call('echo', '--timeout', 'soon', '--input', '{', '--secret', 'NOT_THERE');
  t.equal(all.code, code);
  for (const name of ['--timeout', '--input', 'NOT_THERE']) t.match(all.stderr, name);
  for (const args of [[], ['echo', '--check', 'short'], ['echo', 'again'], ['echo', '--pack', pack], ['echo', '--inptu', '{}'], ['echo', '-', '--input', '{}'], ['echo', '--input', '{}', '--input', '{}'], ['--check', 'short', '--config', '[]'], ['--check', 'short', '--trace', join(folder, 'nowhere.json')]]) {
    t.match(await call(...args), { code, stdout: '' }, args.join(' '));
  }
  t.match(await run(['echo', '--url', url], { env: { KINDGI_PACK_SERVICE_TOKEN: '' } }), { code, stderr: /KINDGI_PACK_SERVICE_TOKEN/ });
  t.match(await run(['echo', '--url', 'localhost:8080']), { code, stderr: /--url/ });
});

t.test('a pack is served for one call', async (t) => {
  const { code, stdout, stderr } = await run(['prints', '--pack', pack], { env: { KINDGI_PACK_SERVICE_TOKEN: '' } });
  t.match({ code, stdout }, { code: 0, stdout: '{"answered":true}\n' });
  t.match(stderr, 'printed');
  t.match(await run(['throws', '--pack', pack]), { code: exitCodes.pack.code, stdout: '' });
});

t.test('--help lists every flag and exit code', async (t) => {
  const { code, stdout } = await run(['--help']);
  t.equal(code, 0);
  for (const flag of ['url', 'pack', 'input', 'input-file', 'tool-version', 'check', 'config', 'trace', 'timeout', 'tenant', 'run', 'secret']) t.match(stdout, `--${flag}`);
  for (const exit of Object.values(exitCodes)) t.match(stdout.replace(/\s+/g, ' '), `${exit.code} ${exit.when}`);
});
