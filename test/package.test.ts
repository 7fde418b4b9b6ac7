/** The package as its users get it: packed, installed into an empty folder of its own, and used from there. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { outputOf } from './answers.js';
import { projectRoot, RunningService, toolCall } from './running-service.js';
import { answeringModule, indexOf, toolEntry } from './temporary-pack.js';

const execute = promisify(execFile);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packhost-package-')));
// npm and tsc take their time where other tests share the cores.
t.setTimeout(300_000);
t.teardown(() => rmSync(folder, { recursive: true }));
const packed = join(folder, 'packed');
const user = join(folder, 'user');

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(user, path)), { recursive: true });
  writeFileSync(join(user, path), text);
};

/** Packs what the suite has built, without building again. */
async function pack(): Promise<Packed> {
  mkdirSync(packed);
  const { stdout } = await execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', packed], { cwd: projectRoot });
  const [only] = JSON.parse(stdout) as readonly Packed[];
  if (only === undefined) throw new Error('npm pack packed nothing');
  return only;
}

const isChunk = (path: string): boolean => /\/bundled-[A-Z0-9]+\./.test(path);

/** The packages whose code a built file has in it, by its source map. */
function packagesIn(map: string): string[] {
  const { sources } = JSON.parse(readFileSync(join(projectRoot, map), 'utf8')) as { sources: string[] };
  return sources.flatMap((source) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
}

/** A built file, and those of packhost that it imports before anything else can happen. */
function importedBy(path: string, known = new Set<string>()): Set<string> {
  known.add(path);
  for (const [, target = ''] of readFileSync(join(projectRoot, path), 'utf8').matchAll(/^(?:\} from|import) "(\.{1,2}\/[^"]+)";$/gm)) {
    const imported = join(dirname(path), target);
    if (!known.has(imported)) importedBy(imported, known);
  }
  return known;
}

async function install({ filename }: Packed): Promise<void> {
  write('package.json', '{"name":"user","private":true,"type":"module"}');
  write('pack/index.json', JSON.stringify(indexOf({ tools: [toolEntry('acme.answers', 'answers.mjs')] })));
  write('pack/answers.mjs', answeringModule);
  // Without scripts: where there is no binary to fetch, better-sqlite3's would compile SQLite for minutes.
  await execute('npm', ['install', join(packed, filename), '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: user });
}

t.test('the packed package', async (t) => {
  const tarball = await pack();
  const paths = tarball.files.map(({ path }) => path);

  t.test('holds what its users need and nothing else', async (t) => {
    const allowed = /^(?:README\.md|LICENSE|CHANGELOG\.md|package\.json|src\/init\/template\/[\w/.-]+|dist\/src\/schemas\/own-schemas\.json|dist\/bundled-licenses\.txt|dist\/(?:src|workers)\/[\w/-]+\.(?:js|js\.map|d\.ts))$/;
    t.strictSame(paths.filter((path) => !allowed.test(path)), []);
    for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/src/index.js', 'dist/src/index.d.ts', 'dist/src/cli/main.js', 'dist/src/sdk/index.d.ts', 'dist/src/client/index.d.ts', 'dist/workers/serve/pack-worker.js', 'dist/src/schemas/own-schemas.json', 'dist/bundled-licenses.txt']) t.ok(paths.includes(path), path);
    const ofOneSource = paths.filter((path) => /^dist\/.*\.(?:js|js\.map|d\.ts)$/.test(path) && !isChunk(path));
    const stale = ofOneSource.filter((path) => !existsSync(join(projectRoot, path.replace(/^dist\//, '').replace(/(?:\.js|\.js\.map|\.d\.ts)$/, '.ts'))));
    t.strictSame(stale, [], 'every built file has its source; if not, remove dist and build again');
  });

  t.test('holds source maps that carry their sources', async (t) => {
    const maps = paths.filter((path) => path.endsWith('.map'));
    const bare = maps.filter((path) => {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as { sources: string[]; sourcesContent?: (string | null)[] };
      return !sources.every((_, at) => typeof sourcesContent?.[at] === 'string');
    });
    t.ok(maps.length > 0);
    t.strictSame(bare, []);
  });

  t.test('holds the license of every package that is bundled with it', async (t) => {
    const licenses = readFileSync(join(projectRoot, 'dist/bundled-licenses.txt'), 'utf8');
    const packages = new Set(paths.filter((path) => path.endsWith('.map')).flatMap(packagesIn));
    t.ok(packages.has('ajv'));
    for (const name of packages) t.match(licenses, new RegExp(`^${name}\n\n[^-]*(?:Copyright|License)`, 'm'), name);
  });

  t.test('starts from few files', async (t) => {
    const main = readFileSync(join(projectRoot, 'dist/src/cli/main.js'), 'utf8');
    const serve = /import\("\.\/([^"]+)"\)\)\.serve\(/.exec(main)?.[1] ?? 'no such import';
    const loaded = ['src/cli/main.js', `src/cli/${serve}`, 'workers/serve/pack-worker.js'].flatMap((entry) => [...importedBy(`dist/${entry}`)]);
    t.ok(loaded.length < 25, loaded.join(' '));
  });

  await install(tarball);

  t.test('installs without scripts of its own and brings packages for its fields alone', async (t) => {
    const { scripts = {}, dependencies = {} } = JSON.parse(readFileSync(join(user, 'node_modules/packhost/package.json'), 'utf8')) as { scripts?: Record<string, string>; dependencies?: Record<string, string> };
    t.notOk('install' in scripts || 'postinstall' in scripts || 'preinstall' in scripts);
    for (const name of Object.keys(dependencies)) t.ok(existsSync(join(user, 'node_modules', name)), name);
    t.notOk(readdirSync(join(user, 'node_modules')).includes('tap'));
  });

  t.test('has a command that says its version', async (t) => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
    const { stdout } = await execute('npx', ['packhost', '--version'], { cwd: user });
    t.equal(stdout, `${version}\n`);
  });

  t.test('serves a pack by npx', async (t) => {
    const service = spawn('npx', ['packhost', 'serve', '--index', 'pack/index.json', '--host', '127.0.0.1', '--port', '0'], {
      cwd: user, detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'], HOME: process.env['HOME'], KINDGI_PACK_SERVICE_TOKEN: 'token' },
    });
    const exited = once(service, 'close');
    t.teardown(async () => {
      if (service.pid !== undefined && service.exitCode === null) process.kill(-service.pid, 'SIGKILL');
      await exited;
    });
    let printed = '';
    for await (const text of service.stderr.setEncoding('utf8') as AsyncIterable<string>) {
      printed += text;
      if (printed.includes('"listening"')) break;
    }
    const port = /"port":(\d+)/.exec(printed)?.[1];
    const answer = await fetch(`http://127.0.0.1:${port}/v1/invoke`, {
      method: 'POST', body: JSON.stringify(toolCall('acme.answers')), headers: { 'content-type': 'application/json', 'kindgi-pack-token': 'token' },
    });
    t.match(await answer.json(), { output: { answered: true } });
  });

  t.test('serves a pack by the command of the container in docs/operations.md', async (t) => {
    const command = /^CMD (\[.*\])$/m.exec(readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8'))?.[1];
    const [node, main = '', ...args] = JSON.parse(command ?? '[]') as string[];
    t.equal(node, 'node');
    t.strictSame(args, ['serve']);
    await answers(t, new RunningService({ pack: join(user, 'pack'), command: [process.execPath, join(user, main)] }));
  });

  t.test('looks after a memory by npx, and says what is missing where SQLite could not be built', async (t) => {
    const stats = (): Promise<{ code: number; stdout: string; stderr: string }> =>
      execute('npx', ['packhost', 'memory', 'stats', 'sqlite:memory.db', '--json'], { cwd: user }).then((ran) => ({ code: 0, ...ran }), (error: { code: number; stdout: string; stderr: string }) => error);
    const without = await stats();
    t.equal(without.code, 2);
    t.match(without.stderr, /better-sqlite3/);
    symlinkSync(join(projectRoot, 'node_modules/better-sqlite3/build'), join(user, 'node_modules/better-sqlite3/build'));
    write('remember.ts', remember);
    await compile(t, 'remember.ts');
    const { stdout } = await execute(process.execPath, ['remember.js'], { cwd: user });
    t.equal(stdout, 'InvalidRecord kind\n');
    t.match(JSON.parse((await stats()).stdout), { engine: 'sqlite', tenants: [{ tenantId: 'acme', entries: 1, facts: 1 }] });
  });

  t.test('type-checks and runs as a library', async (t) => {
    write('library.ts', library);
    await compile(t, 'library.ts');
    const run = await execute(process.execPath, ['library.js'], { cwd: user });
    t.equal(run.stdout, '{"v":2,"kind":"result","output":{"answered":true}}\nBootError\n');
  });
});

/** Compiles a file with strict settings, and the package's own types with it. */
async function compile(t: Test, file: string): Promise<void> {
  const compilerOptions = {
    strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true, skipLibCheck: false,
    module: 'nodenext', target: 'es2023', lib: ['es2023'], types: ['node'], typeRoots: [join(projectRoot, 'node_modules/@types')],
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
  const { stdout } = await execute(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc')], { cwd: user }).catch((error: { stdout: string }) => error);
  t.equal(stdout, '', 'the compiler has nothing to say');
}

async function answers(t: Test, service: RunningService): Promise<void> {
  t.teardown(() => void service.child.kill('SIGKILL'));
  await service.listening();
  t.strictSame(outputOf(await service.invoke(toolCall('acme.answers'))), { answered: true });
  t.strictSame(await service.stop(), { code: 0, signal: null });
}

const library = `
import { BootError, type PackService, type PackServiceOptions, startPackService } from 'packhost';

const options: PackServiceOptions = { token: 'token', index: 'pack/index.json', host: '127.0.0.1', port: 0, minThreads: 1 };
const service: PackService = await startPackService(options);
const port: number = service.address.port;
const answer = await fetch(\`http://127.0.0.1:\${port}/v1/invoke\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'kindgi-pack-token': options.token },
  body: ${JSON.stringify(JSON.stringify(toolCall('acme.answers')))},
});
console.log(await answer.text());
const { stuckThreads }: { stuckThreads: number } = await service.close();
if (stuckThreads > 0) throw new Error('stuck');

try {
  await startPackService({ ...options, index: 'nowhere.json' });
} catch (error) {
  if (error instanceof BootError) console.log(error.name satisfies 'BootError');
}
`;

const remember = `
import { InvalidRecord, type LogEntry, type Memory, openMemory } from 'packhost/memory';

const memory: Memory = await openMemory('sqlite:memory.db');
const entry: LogEntry = await memory.log.append({ tenantId: 'acme', runId: 'run-1', kind: 'user-message', payload: ['any', { json: 1 }] });
await memory.facts.put({ scope: { tenantId: 'acme' }, type: 'note', content: 'known', causedByLogId: [entry.id] });
try {
  await memory.log.append({ tenantId: 'acme', runId: 'run-1', kind: 'shout' as 'retrieval' });
} catch (error) {
  if (error instanceof InvalidRecord) console.log(error.name, error.issues.map(({ field }) => field).join());
}
await memory.close();
`;
