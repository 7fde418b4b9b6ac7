/**
 * The attacks of docs/isolation.md: each is put to a running service, and the tables of the page are
 * what was seen. Where they differ, the text that belongs there is printed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { outputOf } from '../answers.js';
import { type AnswerBody, type LogRecord, type RunningService, ids, projectRoot, serve, toolCall, until } from '../running-service.js';
import { answeringModule, indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

// Most attacks cost a thread, and those on memory touch much of it.
t.setTimeout(300_000);

/** The tools of the fixture, and how its index has each of them held. */
const held = {
  isolated: '`context-isolated`',
  strict: '`strict`',
  'memory-bound': '`memMB` 64',
  'time-bound': '`cpuMs` 300',
  'cut-off': '`network` none',
  listed: '`network` allowlist',
} as const;

interface Attack {
  /** In plain words; unique together with the tool. */
  readonly name: string;
  readonly tool: keyof typeof held;
  /** Its name in the fixture. */
  readonly attack: string;
  /** It never answers: its call has a short deadline. */
  readonly endless?: true;
  /** It starts processes, which are looked for afterwards. */
  readonly starts?: true;
  /** What the next call on the thread looks for. */
  readonly leaves?: string;
  /** What it leaves is looked for in turns, so that it takes some calls to be found. */
  readonly hides?: true;
}

const attacks: Readonly<Record<string, readonly Attack[]>> = {
  'Never comes back': [
    { name: 'A loop without end', tool: 'isolated', attack: 'loop', endless: true },
    { name: 'A loop without end', tool: 'strict', attack: 'loop', endless: true },
    { name: 'A regular expression that backtracks', tool: 'isolated', attack: 'regex', endless: true },
    { name: '`Atomics.wait` on what nobody notifies', tool: 'isolated', attack: 'atomics', endless: true },
    { name: 'A promise that never settles', tool: 'isolated', attack: 'lost promise', endless: true },
    { name: 'Microtasks without end', tool: 'isolated', attack: 'microtasks', endless: true },
    { name: '`process.nextTick` without end', tool: 'isolated', attack: 'ticks', endless: true },
    { name: 'An output whose `toJSON` loops', tool: 'isolated', attack: 'toJSON loop', endless: true },
    { name: 'A listener of the abort signal that throws', tool: 'isolated', attack: 'abort listener throws', endless: true },
  ],
  'Ends or changes the process': [
    { name: '`process.exit`', tool: 'isolated', attack: 'exit' },
    { name: '`process.reallyExit`', tool: 'isolated', attack: 'reallyExit' },
    { name: '`process.kill` of its own process', tool: 'isolated', attack: 'kill' },
    { name: '`process.kill` of its process group', tool: 'isolated', attack: 'kill group' },
    { name: '`process.abort`', tool: 'isolated', attack: 'abort' },
    { name: '`process.chdir`', tool: 'isolated', attack: 'chdir' },
    { name: '`process.umask`', tool: 'isolated', attack: 'umask' },
    { name: '`process.setuid`', tool: 'isolated', attack: 'setuid' },
    { name: 'Looks for the token in `process.env`, `process.argv` and `/proc/self/environ`', tool: 'isolated', attack: 'find token' },
  ],
  'Throws, or faults on the side': [
    { name: '`throw null`', tool: 'isolated', attack: 'throw null' },
    { name: 'An error whose every getter throws', tool: 'isolated', attack: 'throw getters' },
    { name: 'A stack overflow', tool: 'isolated', attack: 'stack overflow' },
    { name: 'A throw in a timer, while the call runs', tool: 'isolated', attack: 'timer throws' },
    { name: 'A rejection that nobody handles, while the call runs', tool: 'isolated', attack: 'rejection' },
    { name: 'A throw in a timer, after the answer', tool: 'isolated', attack: 'late throw' },
    { name: 'A rejection that nobody handles, after the answer', tool: 'isolated', attack: 'late rejection' },
    { name: '`process.exit` in a timer, after the answer', tool: 'isolated', attack: 'late exit' },
  ],
  'Takes memory or time': [
    { name: 'Small objects without end', tool: 'memory-bound', attack: 'objects' },
    { name: 'One array that grows without end', tool: 'memory-bound', attack: 'array' },
    { name: 'Strings without end', tool: 'memory-bound', attack: 'strings' },
    { name: '100 MiB of buffers, then a loop', tool: 'memory-bound', attack: 'buffers' },
    { name: 'A buffer of 100 MiB that it keeps, and a quick answer', tool: 'memory-bound', attack: 'buffers, then answers' },
    { name: '100 MiB of shared memory, then a loop', tool: 'memory-bound', attack: 'shared memory, then a loop', endless: true },
    { name: '100 MiB of WebAssembly memory, then a loop', tool: 'memory-bound', attack: 'WebAssembly memory, then a loop', endless: true },
    { name: 'A loop without end', tool: 'time-bound', attack: 'loop' },
    { name: 'Busy for four seconds, 20 ms at a time', tool: 'time-bound', attack: 'busy in bits' },
    { name: 'Busy in native code, 1 ms at a time', tool: 'time-bound', attack: 'busy in native code' },
    { name: 'Waits for three times its `cpuMs`', tool: 'time-bound', attack: 'idle' },
  ],
  'Changes what everything uses': [
    { name: 'Replaces `JSON.stringify`', tool: 'isolated', attack: 'JSON.stringify' },
    { name: 'Replaces `JSON.parse`', tool: 'isolated', attack: 'JSON.parse' },
    { name: 'Replaces `JSON` itself', tool: 'isolated', attack: 'JSON itself' },
    { name: 'Adds a field to `Object.prototype`', tool: 'isolated', attack: 'Object.prototype' },
    { name: 'Adds `toJSON` to `Object.prototype`', tool: 'isolated', attack: 'Object.prototype.toJSON' },
    { name: 'Adds a field to `Array.prototype`', tool: 'isolated', attack: 'Array.prototype' },
    { name: 'Replaces `Array.prototype.push`', tool: 'isolated', attack: 'Array.prototype.push' },
    { name: 'Replaces `Function.prototype.call`', tool: 'isolated', attack: 'Function.prototype.call' },
    { name: 'Replaces `Promise.prototype.then`', tool: 'isolated', attack: 'Promise.prototype.then' },
    { name: 'Replaces `Date.now`', tool: 'isolated', attack: 'Date.now' },
    { name: 'Replaces `process.exit`', tool: 'isolated', attack: 'process.exit' },
    { name: 'Replaces `fetch`', tool: 'isolated', attack: 'fetch' },
    { name: 'Replaces `setTimeout`', tool: 'isolated', attack: 'setTimeout' },
    { name: 'Changes `process.env`', tool: 'isolated', attack: 'process.env' },
    { name: 'Leaves a listener on `process`', tool: 'isolated', attack: 'process listener' },
    { name: 'Leaves 200 timers', tool: 'isolated', attack: 'many timers' },
    { name: 'Leaves a global variable', tool: 'isolated', attack: 'global', leaves: 'global' },
    { name: 'Leaves a global variable', tool: 'strict', attack: 'global', leaves: 'global' },
    { name: 'Leaves state in its module', tool: 'isolated', attack: 'module state', leaves: 'module' },
    { name: 'Leaves state in its module', tool: 'strict', attack: 'module state', leaves: 'module' },
    { name: 'Adds a symbol to `Array.prototype`', tool: 'isolated', attack: 'symbol', hides: true },
    { name: 'Adds a hidden field to `Array.prototype`', tool: 'isolated', attack: 'hidden', hides: true },
    { name: 'Replaces the getter `Map.prototype.size`', tool: 'isolated', attack: 'accessor', hides: true },
    { name: 'Replaces the getter `Map.prototype.size`', tool: 'strict', attack: 'accessor', leaves: 'accessor' },
    { name: 'Replaces `fs.readFileSync`', tool: 'isolated', attack: 'fs', leaves: 'file' },
  ],
  'Prints and answers': [
    { name: 'Four megabytes on stdout', tool: 'isolated', attack: 'stdout flood' },
    { name: 'Two megabytes on stderr', tool: 'isolated', attack: 'stderr flood' },
    { name: 'Two thousand log lines', tool: 'isolated', attack: 'log flood' },
    { name: 'An output of 20 MiB', tool: 'isolated', attack: 'huge output' },
    { name: 'An output nested 100,000 levels deep', tool: 'isolated', attack: 'deep output' },
    { name: 'An output that breaks its schema in 200,000 places', tool: 'isolated', attack: 'many issues' },
    { name: 'A BigInt in the output', tool: 'isolated', attack: 'BigInt' },
    { name: 'A cycle in the output', tool: 'isolated', attack: 'cycle' },
    { name: 'A promise in the output', tool: 'isolated', attack: 'promise inside' },
    { name: 'A getter in the output that throws', tool: 'isolated', attack: 'throwing getter' },
  ],
  'Starts processes and threads': [
    { name: 'Leaves a process running', tool: 'isolated', attack: 'child left', starts: true },
    { name: 'Starts a detached process, then loops', tool: 'isolated', attack: 'child left, then loop', endless: true, starts: true },
    { name: 'Starts a shell that starts others, then loops', tool: 'isolated', attack: 'grandchild, then loop', endless: true, starts: true },
    { name: 'Starts a process with an environment of its own, then loops', tool: 'isolated', attack: 'child with an empty environment, then loop', endless: true, starts: true },
    { name: 'Waits for a process in `execSync`', tool: 'isolated', attack: 'execSync', endless: true, starts: true },
    { name: 'Starts a thread that loops', tool: 'isolated', attack: 'thread in a loop', endless: true },
    { name: 'Starts a thread that exits', tool: 'isolated', attack: 'thread that exits' },
  ],
  'Reaches out': (['cut-off', 'listed'] as const).flatMap((tool): Attack[] => [
    { name: '`net.connect`', tool, attack: 'net.connect' },
    { name: '`net.connect` to a Unix socket', tool, attack: 'Unix socket' },
    { name: '`http.get`', tool, attack: 'http.get' },
    { name: '`fetch`', tool, attack: 'fetch it' },
    { name: 'undici from `node_modules`', tool, attack: 'undici of its own' },
    { name: '`dns.promises.lookup`', tool, attack: 'dns.lookup' },
    { name: '`dns.promises.resolve4`', tool, attack: 'dns.resolve' },
    { name: 'A datagram', tool, attack: 'datagram' },
    { name: '`spawn`', tool, attack: 'spawn' },
    { name: '`execSync`', tool, attack: 'execSync true' },
    { name: 'A nested thread', tool, attack: 'thread' },
    { name: '`process.binding`', tool, attack: 'process.binding' },
    { name: 'Code in the main thread, through `node:inspector`', tool, attack: 'the main thread through the inspector' },
  ]),
};

/** A row of the tables: the attack, how it is held, the answer, its thread, what comes after. */
type Row = readonly [name: string, held: string, answer: string, thread: string, after: string];
const head: Row = ['attack', 'held as', 'answer', 'its thread', 'afterwards'];
const start = '<!-- attacks: made by test/isolation/attacks.test.ts, which prints what belongs here -->\n';
const end = '<!-- /attacks -->';
const page = readFileSync(join(projectRoot, 'docs/isolation.md'), 'utf8');
const written = page.slice(page.indexOf(start) + start.length, page.indexOf(end));

const cells = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
/** Only how long to wait for something depends on the page; what is compared is what came. */
const isExpected = ({ name, tool }: Attack, text: string): boolean => written.split('\n').some((line) => line.startsWith(cells([name, held[tool], ''])) && line.includes(text));

const server = http.createServer((_request, response) => response.end('here'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const local = net.createServer();
const socketPath = join(temporaryFolder(t), 'socket');
await new Promise<void>((resolve) => local.listen(socketPath, resolve));
t.teardown(() => {
  server.closeAllConnections();
  server.close();
  local.close();
});
const target = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, path: socketPath, name: 'api.example.invalid' };

let lastSeconds = 300;

class Observer {
  readonly #service: RunningService;
  readonly #attack: Attack;
  readonly #requestId: string;
  /** An argument of the processes it starts that no other process has. */
  readonly #seconds = `${++lastSeconds}.${process.pid}`;

  constructor(service: RunningService, attack: Attack) {
    this.#service = service;
    this.#attack = attack;
    this.#requestId = `attack-${lastSeconds}`;
  }

  async row(t: Test): Promise<Row> {
    const { name, tool, endless } = this.#attack;
    const timeout = { 'kindgi-timeout-ms': endless ? '600' : '100000' };
    const ctx = { ...ids, requestId: this.#requestId };
    const { status, body } = await this.#service.invoke(toolCall(tool, { attack: this.#attack.attack, seconds: this.#seconds, ...target }, { ctx }), timeout);
    t.equal(status, 200, `${name}: it is answered`);
    const thread = await this.#thread();
    return [name, held[tool], answerOf(body), thread, await this.#after(t, threadOf(body))];
  }

  async #thread(): Promise<string> {
    const wanted = (record: LogRecord): boolean => record['requestId'] === this.#requestId;
    if (this.#attack.tool === 'strict' && !this.#attack.endless) return 'used once';
    if (this.#attack.hides) return `replaced some calls later: ${await this.#foundLater()}`;
    if (isExpected(this.#attack, '| replaced: ')) await this.#service.recorded('thread-ended', wanted, 60_000);
    else await sleep(100);
    const ended = this.#service.record('thread-ended', wanted);
    // How many handles a timer is differs between versions of Node.
    const reason = String(ended?.['reason']).replace(/\d+ (timers and handles)/, '$1');
    // Whether the watch or the thread itself is first to see an excess is a matter of milliseconds.
    return ended ? `replaced: ${reason.replace(/^a call left behind: .* (passed its limit of \d+ \w+): it used \d+\.$/, 'a call $1')}` : 'kept';
  }

  /** Calls until a thread is replaced for what this attack has left there: several at once, so that no thread is spared. */
  async #foundLater(): Promise<string> {
    const isCleanUp = ({ kind, reason }: LogRecord): boolean => kind === 'thread-ended' && String(reason).startsWith('a call left behind');
    const before = this.#service.records.filter(isCleanUp).length;
    const found = await until(async () => {
      await Promise.all(Array.from({ length: mostThreads }, () => this.#service.invoke(toolCall(this.#attack.tool, { look: 'nothing' }))));
      return this.#service.records.filter(isCleanUp).at(before) ?? this.#service.record('thread-ended', ({ requestId }) => requestId === this.#requestId);
    }, 'the thread to be replaced', 60_000);
    return String(found['reason']);
  }

  /** A call on the same kind of thread, healthz, and what is left of the processes it started. */
  async #after(t: Test, threadId: number | undefined): Promise<string> {
    const { name, tool, leaves = 'nothing', starts } = this.#attack;
    const look = async (): Promise<Record<string, unknown>> => outputOf(await this.#service.invoke(toolCall(tool, { look: leaves })));
    // Where what it leaves may be found, on the very same thread; there may be a second one.
    const { found } = leaves === 'nothing' || tool === 'strict' ? await look() : await until(async () => {
      const seen = await look();
      return seen['threadId'] === threadId ? seen : undefined;
    }, 'the same thread');
    const healthz = await this.#service.get('/healthz');
    t.equal(healthz.status, 200, `${name}: healthz answers`);
    const after = (found as unknown[]).length > 0 ? ['the next call sees it'] : [];
    if (starts) {
      if (isExpected(this.#attack, 'process is gone')) await until(() => this.#processes().length === 0, 'its processes to be gone', 30_000);
      else await sleep(200);
      const left = this.#processes();
      after.push(left.length === 0 ? 'its process is gone' : 'its process runs on');
      t.teardown(() => {
        for (const pid of left) {
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // It ended with its thread.
          }
        }
      });
    }
    return [...after, 'healthy'].join(', ');
  }

  #processes(): number[] {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(this.#seconds);
      } catch {
        return false;
      }
    });
  }
}

function threadOf({ kind, output }: AnswerBody): number | undefined {
  return kind === 'result' ? (output as { threadId?: number }).threadId : undefined;
}

/** The outcome, and the names of what was thrown, the outermost first. */
function answerOf({ kind, code, cause, output, issues }: AnswerBody): string {
  if (kind === 'result') {
    const did = (output as { did?: unknown }).did;
    return typeof did === 'string' ? `a result: ${did}` : 'a result';
  }
  if (code === undefined) return 'no message of the protocol';
  const names: string[] = [];
  for (let at: unknown = cause; at; at = (at as { cause?: unknown }).cause) {
    const { name, limit } = at as { name: string; limit?: string };
    names.push(limit === undefined ? `\`${name}\`` : `\`${name}\` (\`${limit}\`)`);
  }
  return [`\`${code}\``, ...(names.length > 0 ? [names.join(' from ')] : []), ...(issues ? [`${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}`] : [])].join(', ');
}

const mostThreads = 8;
const rows = new Map<string, Row[]>(Object.keys(attacks).map((group) => [group, []]));

t.test('every attack is answered, and the next call and healthz as well', async (t) => {
  const service = await serve(t, { pack: 'attacks-its-host', args: ['--min-threads', '1', '--max-threads', String(mostThreads), '--grace', '100'] });
  try {
    for (const [group, all] of Object.entries(attacks)) for (const attack of all) rows.get(group)?.push(await new Observer(service, attack).row(t));
  } finally {
    // What a process says as it crashes.
    if (!t.equal(service.ended, undefined, 'the process lives')) console.error(service.stderr.filter((line) => !line.startsWith('{')).slice(-40).join('\n'));
  }
});

t.test('one allocation larger than V8 can give ends the process, and its supervisor can start it again', async (t) => {
  const limits = { memMB: 1 };
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('greedy', 'greedy.mjs', { limits }), toolEntry('answers', 'answers.mjs')] }), {
    'greedy.mjs': 'export const handler = () => {\n  const list = new Array(20_000_000).fill(0);\n  return { length: [...list, ...list].length };\n};\n',
    'answers.mjs': answeringModule,
  });
  const service = await serve(t, { pack, args: ['--min-threads', '1'] });
  await t.rejects(service.invoke(toolCall('greedy')), 'the caller loses its connection');
  const { signal } = await until(() => service.ended, 'the process to end', 60_000);
  rows.get('Takes memory or time')?.push(['One array of 320 MB at once', '`memMB` 1', 'none: the connection breaks', 'gone', `the process ends by ${signal}`]);
  const next = await serve(t, { pack, args: ['--min-threads', '1'] });
  t.same(outputOf(await next.invoke(toolCall('answers'))), { answered: true });
});

t.test('docs/isolation.md shows what came of every attack', async (t) => {
  const expected = [...rows].map(([group, seen]) => [`**${group}**`, '', cells(head), cells(head.map(() => '---')), ...seen.map(cells), ''].join('\n')).join('\n');
  if (!t.ok(written === expected, 'the tables of the page are those of this run')) {
    const wanted = new Set(expected.split('\n'));
    const differences = written.split('\n').filter((line) => !wanted.has(line));
    console.error(`docs/isolation.md differs in:\n${differences.join('\n')}\n\nBetween the comments belongs:\n\n${expected}`);
  }
});
