import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packhostCommand, projectRoot } from '../running-service.js';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end, without a token and with no settings. */
function run(...args: string[]): Promise<Run> {
  const [program, ...rest] = packhostCommand;
  return new Promise((resolve) => {
    execFile(program, [...rest, ...args], { env: { PATH: process.env['PATH'], COLUMNS: '200' } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The flags whose variable is not KINDGI_PACK_SERVICE_ and their name; '' has none. */
const ownVariables: Readonly<Record<string, string>> = {
  index: 'KINDGI_PACK_INDEX', 'module-root': '', 'bundle-map': '', host: '', port: 'PORT', 'env-check': 'KINDGI_PACK_ENV_CHECK', 'env-filter': 'KINDGI_PACK_ENV_FILTER', 'log-level': 'KINDGI_LOG_LEVEL', 'log-format': 'KINDGI_LOG_FORMAT',
};
const flags = [
  'index', 'module-root', 'bundle-map', 'host', 'port', 'max-concurrency', 'min-threads', 'max-threads', 'calls-per-worker', 'max-queue', 'idle-timeout', 'grace', 'default-timeout',
  'max-body', 'drain-timeout', 'drain-delay', 'max-calls-per-worker', 'boot-timeout', 'env-check', 'env-filter', 'log-level', 'log-format',
];
const defaults: Readonly<Record<string, string>> = {
  index: '/app/index.json', port: '8080', 'max-concurrency': '32', 'default-timeout': '120000', 'max-body': '10485760', grace: '1000', 'drain-timeout': '8000', 'env-check': 'strict', 'env-filter': 'on', 'log-level': 'info', 'log-format': 'auto',
};

t.test('serve --help lists every flag with its variable and its default', async (t) => {
  const { code, stdout } = await run('serve', '--help');
  t.equal(code, 0);
  // The text of one flag reaches from its name to the name of the next.
  const textOf = (flag: string): string => stdout.slice(stdout.search(new RegExp(`--${flag}\\s`))).replace(/\s+/g, ' ').split(/ (?=--[a-z])/)[0] ?? '';
  for (const flag of flags) {
    const text = textOf(flag);
    t.match(text, `--${flag}`);
    t.ok(text.includes(ownVariables[flag] ?? `KINDGI_PACK_SERVICE_${flag.replaceAll('-', '_').toUpperCase()}`), `--${flag} names its variable`, { text });
    t.ok(text.includes(defaults[flag] ?? ''), `--${flag} names its default`, { text });
  }
  t.match(stdout, 'KINDGI_PACK_SERVICE_TOKEN', 'and the variable of the token, which has no flag');
  t.notMatch(stdout, '--token');
});

t.test('--help names the commands', async (t) => {
  const { code, stdout } = await run('--help');
  t.equal(code, 0);
  t.match(stdout, 'serve');
});

t.test('--version tells the version of the package', async (t) => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  const { code, stdout } = await run('--version');
  t.equal(code, 0);
  t.equal(stdout.trim(), version);
});

t.test('a command that does not exist is refused, and the nearest one suggested', async (t) => {
  const { code, stdout, stderr } = await run('sevre');
  t.equal(code, 1);
  t.match(stdout + stderr, 'serve');
});
