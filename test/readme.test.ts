/**
 * The README and the docs are run as they stand. What stands in for what is written:
 *
 * - `npm start` runs without its installing and building `prestart`; the suite has built already.
 * - `npm test` would run this file again: its scripts are read instead.
 * - `npx packhost` is a command on PATH that starts the built command of this folder.
 * - `--port 8080` is `--port 0`, and 8080 in what follows is the port that the service got.
 * - PRINTED is the token that `packhost dev` has printed; what is called there is called until a change is live.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { errorCodes } from '../src/protocol/errors.js';
import { type Setting, settingTable } from '../src/service/settings.js';
import { type LogRecord, packhostCommand, projectRoot, until } from './running-service.js';

const execute = promisify(execFile);
// npm and tsc take their time where other tests share the cores.
t.setTimeout(300_000);

/** A fenced block: its language, the file that the line above names, and its text. */
interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const documents = ['README.md', ...readdirSync(join(projectRoot, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const readme = read('README.md');

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w*)\n(.*?)^```$/gms)].map(([, file, language = '', text = '']) => ({ file, language, text }));
}

/** What stands between a pair of comments: `<!-- NAME: … -->` and `<!-- /NAME -->`. */
function section(name: string): string | undefined {
  return new RegExp(`<!-- ${name}: [^\\n]* -->\\n(.*?)<!-- /${name} -->`, 's').exec(readme)?.[1];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

/** Prints the text to paste when the README has another. */
function generated(t: Test, name: string, expected: string): void {
  if (!t.equal(section(name), expected)) console.error(`README.md between <!-- ${name} --> and <!-- /${name} --> should be:\n\n${expected}`);
}

/** A median of the bench with the least and greatest, as `bench/results` has it. */
function measured(scenario: string, metric: string, digits: number, parameters: Readonly<Record<string, unknown>> = {}): string {
  const { results } = JSON.parse(read(`bench/results/${scenario}.json`)) as { results: { target: string; parameters: Record<string, unknown>; summary: Record<string, { median: number; min: number; max: number }> }[] };
  const row = results.find((each) => each.target === 'packhost' && Object.entries(parameters).every(([name, value]) => each.parameters[name] === value));
  const figures = row?.summary[metric];
  if (figures === undefined) throw new Error(`${scenario} has no ${metric} of ${JSON.stringify(parameters)}`);
  const text = (value: number): string => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text(figures.median)} (${text(figures.min)}–${text(figures.max)})`;
}

t.test('the figures are those of the bench', async (t) => {
  const spinning = { others: 'one spins 300 ms' };
  const rows: [string, string, string][] = [
    ['An echo, 50 a second, beside a handler that spins: p99', `${measured('interference', 'echoP99Ms', 1, spinning)} ms`, 'interference'],
    ['`/healthz` beside it: p99', `${measured('interference', 'healthP99Ms', 1, spinning)} ms`, 'interference'],
    ['A handler that never ends: from its deadline to its answer', `${measured('kill', 'answerMs', 1)} ms`, 'kill'],
    ['… until every thread is replaced', `${measured('kill', 'capacityMs', 0)} ms`, 'kill'],
    ['Handlers that compute for 5 ms, on two cores', `${measured('cpu-bound', 'callsPerSecond', 0, { 'handler ms': 5 })} calls/s`, 'cpu-bound'],
    ['512 handlers that wait 100 ms at once, 64 a thread', `${measured('io-bound', 'callsPerSecond', 0, { concurrent: 512 })} calls/s`, 'io-bound'],
    ['From the start of the process until it listens, ten tools', `${measured('startup', 'listeningMs', 0, { tools: 10 })} ms`, 'startup'],
    ['Resident memory, idle, two threads', `${measured('memory', 'residentMiB', 0, { state: 'idle, 2 worker threads' })} MiB`, 'memory'],
  ];
  generated(t, 'figures', table(['', 'median (least–greatest)', 'scenario'], rows));
});

t.test('in a built clone, npx runs the command itself', async (t) => {
  const { stdout } = await execute('npx', ['packhost', '--version'], { cwd: projectRoot });
  t.equal(stdout.trim(), (JSON.parse(read('package.json')) as { version: string }).version);
});

t.test('the table of settings is the one the command reads its flags by', async (t) => {
  const rows = Object.values<Setting<unknown>>(settingTable).map(({ flag, env, fallback, fallbackText, help }) => [
    `\`--${flag}\``, env === undefined ? '' : `\`${env}\``, fallbackText ?? `\`${String(fallback)}\``, help,
  ]);
  generated(t, 'settings', table(['flag', 'environment', 'default', 'what it is'], rows));
});

t.test('the table of error codes is the one the answers are made by', async (t) => {
  const rows = Object.entries(errorCodes).map(([code, { when, fault }]) => [`\`${code}\``, when, fault]);
  generated(t, 'codes', table(['code', 'when', 'fault'], rows));
});

t.test('links lead to files and headings of the repository', async (t) => {
  for (const document of [...documents, 'ARCHITECTURE.md', 'CHANGELOG.md']) {
    for (const [, target = ''] of read(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', heading] = target.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      if (t.ok(existsSync(join(projectRoot, file)), `${document} links to ${target}`) && heading !== undefined) {
        t.ok(headingsOf(read(file)).includes(heading), `${file} has the heading #${heading}`);
      }
    }
  }
});

/** GitHub's anchors of a document's headings. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));
}

/** A process group of the test's own, gone with it; its stdout and stderr line by line. */
class Background {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  ended = false;

  constructor(t: Test, command: string, args: readonly string[], cwd: string, path: string) {
    const { HOME } = process.env;
    this.child = spawn(command, args, { cwd, env: { PATH: path, ...(HOME === undefined ? {} : { HOME }) }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const exited = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    void exited.then(() => (this.ended = true));
    for (const stream of [this.child.stdout, this.child.stderr]) if (stream) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    t.teardown(async () => {
      if (!this.ended && this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGTERM');
      await exited;
    });
  }

  /** The first line that matches. */
  line(matches: (line: string) => boolean, what: string): Promise<string> {
    return until(() => {
      const found = this.lines.find(matches);
      if (found === undefined && this.ended) throw new Error(`it ended without ${what}:\n${this.lines.join('\n')}`);
      return found;
    }, what, 60_000);
  }
}

/** A folder as the README has it after "A pack by hand", and a terminal in it. */
class Clone {
  readonly folder = mkdtempSync(join(tmpdir(), 'packhost-readme-'));
  readonly path: string;
  readonly #t: Test;
  port = 8080;
  token = '';

  constructor(t: Test, document = readme) {
    this.#t = t;
    t.teardown(() => rmSync(this.folder, { recursive: true }));
    for (const { file, text } of blocksOf(readme + document)) if (file !== undefined) this.#write(file, text);
    const [program, ...args] = packhostCommand;
    const start = [program, ...args].map((word) => `'${word}'`).join(' ');
    this.#write('bin/npx', `#!/bin/sh\n[ "$1" = packhost ] || exit 64\nshift\nexec ${start} "$@"\n`, 0o755);
    this.path = `${join(this.folder, 'bin')}:${process.env['PATH'] ?? ''}`;
    this.#write('package.json', '{"type":"module"}');
  }

  /** As after `npm install` of the package; the README's shell blocks do without. */
  install(): void {
    mkdirSync(join(this.folder, 'node_modules'));
    symlinkSync(projectRoot, join(this.folder, 'node_modules/packhost'));
  }

  /** Runs a block that serves; resolves once it listens. */
  async serve(text: string): Promise<Background> {
    const service = new Background(this.#t, 'sh', ['-ec', text.replace('--port 8080', '--port 0')], this.folder, this.path);
    const listening = JSON.parse(await service.line((line) => line.includes('"listening"'), 'the listening record')) as LogRecord;
    this.port = listening['port'] as number;
    if (text.includes('packhost dev')) this.token = /KINDGI_PACK_SERVICE_TOKEN=(\S+)/.exec(await service.line((line) => line.includes('packhost call'), 'the calls to paste'))?.[1] ?? '';
    return service;
  }

  /** Runs a block to its end, and answers what it printed. */
  async run(text: string): Promise<string> {
    const { stdout } = await execute('sh', ['-ec', text.replaceAll(':8080', `:${this.port}`).replace('PRINTED', this.token)], { cwd: this.folder, env: { PATH: this.path } });
    return stdout;
  }

  /** Compiles a TypeScript file with strict settings and runs it. */
  async runTypeScript(file: string): Promise<string> {
    const compilerOptions = { strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2023', lib: ['es2023'], types: ['node'], typeRoots: [join(projectRoot, 'node_modules/@types')] };
    this.#write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
    await execute(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '--project', 'tsconfig.json'], { cwd: this.folder });
    const { stdout } = await execute(process.execPath, [file.replace(/ts$/, 'js')], { cwd: this.folder });
    return stdout;
  }

  #write(file: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text, { mode });
  }
}

const isServe = ({ language, text }: Block): boolean => language === 'sh' && /packhost (serve|dev) /.test(text);
/** The service that the docs' calls are to: that of the pack by hand. */
const serviceOfReadme = blocksOf(readme).find(({ language, text }) => language === 'sh' && text.includes('packhost serve '))?.text ?? 'false';

for (const document of documents) {
  const blocks = blocksOf(read(document));
  if (!blocks.some(({ language }) => language === 'sh')) continue;
  t.test(`the shell blocks of ${document} do what the text says`, async (t) => {
    const clone = new Clone(t, read(document));
    if (document !== 'README.md') {
      clone.install();
      await clone.serve(serviceOfReadme);
    }
    for (const [at, block] of blocks.entries()) {
      const { language, text } = block;
      if (language !== 'sh') continue;
      const next = blocks[at + 1];
      if (text === 'npm start\n') await runStart(t, clone);
      else if (text === 'npm test\n') readTestScripts(t);
      else if (isServe(block)) await clone.serve(text);
      else if (text.includes('PRINTED')) await until(async () => (await clone.run(text)).trim() === next?.text.trim(), text, 30_000);
      else if (next?.language === 'json' && next.file === undefined) t.equal((await clone.run(text)).trim(), next.text.trim(), text);
      else await t.resolves(clone.run(text), text);
    }
    if (document === 'docs/development.md') t.equal(await clone.runTypeScript('reload.ts'), '1 tool\n');
  });
}

async function runStart(t: Test, { path }: Clone): Promise<void> {
  const start = new Background(t, 'npm', ['start', '--ignore-scripts'], projectRoot, path);
  const curl = await start.line((line) => line.startsWith('curl '), 'a curl line');
  t.match(start.lines.join('\n'), /http:\/\/127\.0\.0\.1:[1-9]\d*/, 'npm start prints the address');
  const { stdout } = await execute('sh', ['-ec', curl]);
  t.match(JSON.parse(stdout), { v: 2, kind: 'result' }, 'the curl line that npm start prints is answered');
}

function readTestScripts(t: Test): void {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  t.match(scripts, { setup: /^npm install$/, build: /^tsc --build$/, lint: /^eslint \. && depcruise src workers test bench$/, test: /^tap$/ });
  t.match(scripts['pretest'], /run .*setup && .*run .*build && .*run .*lint$/, 'npm test installs, builds with type checks, and lints first');
  t.match(scripts['prestart'], /run .*setup && .*run .*build$/, 'npm start installs and builds first');
}

t.test('the library example compiles in strict TypeScript, answers and ends', async (t) => {
  const clone = new Clone(t);
  clone.install();
  const answer = blocksOf(readme).find(({ language, text }) => language === 'json' && text.includes('"kind":"result"'));
  t.equal(await clone.runTypeScript('hello.ts'), answer?.text);
});

t.test("the README's record is what a call leaves", async (t) => {
  const clone = new Clone(t);
  const service = await clone.serve(serviceOfReadme);
  await clone.run(blocksOf(readme).find(({ text }) => text.startsWith('curl '))?.text ?? 'false');
  const isCall = (text: string): boolean => text.includes('"kind":"call"');
  const left = JSON.parse(await service.line(isCall, 'the call record')) as LogRecord;
  const shown = JSON.parse(blocksOf(readme).find(({ text }) => isCall(text))?.text ?? '{}') as LogRecord;
  const { time, durationMs, traceId, spanId } = left;
  t.strictSame({ ...shown, time, durationMs, traceId, spanId }, left);
  t.strictSame(Object.keys(shown), Object.keys(left), 'in this order');
});
