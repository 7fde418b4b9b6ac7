import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

/** The repository's root, seen from the built test (dist/test/…). */
export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** The built command, as `npx packhost` would start it. */
export const packhostCommand: readonly [string, ...string[]] = [process.execPath, join(projectRoot, 'dist/src/cli/main.js')];

/** The folder of one fixture pack: test/fixtures/NAME. */
export const fixturePack = (name: string): string => join(projectRoot, 'test/fixtures', name);

/** The ids every test call carries unless it says otherwise. */
export const ids = { tenantId: 'tenant-1', runId: 'run-1' };

/** An `invoke` message. */
export const toolCall = (id: string, input: unknown = {}, extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  v: 2, kind: 'invoke', tool: { id }, input, ctx: ids, ...extra,
});

/** A `check-invoke` message. */
export const checkCall = (id: string, config: unknown = {}, extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  v: 2, kind: 'check-invoke', check: { id }, config,
  trace: { ...ids, output: 'hello', toolCalls: [], toolResults: [], modelCalls: [], mode: 'runtime' }, ...extra,
});

/** One JSON record of the service's stderr. */
export interface LogRecord {
  readonly [field: string]: unknown;
  readonly kind?: string;
}

/** An error or result message as it came over the wire; tests read what they assert. */
export interface AnswerBody {
  readonly [field: string]: unknown;
  readonly v: number;
  readonly kind: string;
  readonly code?: string;
  readonly message?: string;
  readonly output?: unknown;
  readonly result?: unknown;
  readonly cause?: Readonly<Record<string, unknown>>;
  readonly issues?: readonly Readonly<Record<string, unknown>>[];
}

/** One HTTP answer, read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: AnswerBody;
  readonly elapsedMs: number;
}

export interface RequestOptions {
  readonly body?: string | Buffer;
  readonly headers?: http.OutgoingHttpHeaders;
  /** null sends no token at all. */
  readonly token?: string | null;
  readonly agent?: http.Agent;
  /** Gets the request before its body is sent: to hang up, to send slowly. */
  readonly onRequest?: (request: http.ClientRequest) => void;
}

export interface ServeOptions {
  /** A fixture's name, or an absolute folder. Its index.json is served unless `index` says otherwise. */
  readonly pack: string;
  readonly index?: string;
  /** Names the folder as `serve`'s argument, and gives neither --index nor --module-root. */
  readonly byFolder?: boolean;
  /** `dev` in place of `serve`; it names its folder as well, and its token once it listens. */
  readonly isDev?: boolean;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The token as the environment holds it; '' is as good as none. */
  readonly token?: string;
  /** Another node binary or wrapper; the built command by default. */
  readonly command?: readonly [string, ...string[]];
}

/** Waits until `probe` answers something that is not undefined, null or false. */
export async function until<T>(probe: () => T | Promise<T>, what: string, withinMs = 30_000): Promise<NonNullable<T>> {
  for (const end = Date.now() + withinMs; ; await sleep(10)) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`);
  }
}

/** Whatever ends a test ends the services it started. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** tap has every Node process that a test starts load its own instruments: the service is to run as it is. */
export function withoutInstruments(nodeOptions: string | undefined): string[] {
  const names = ['NODE_OPTIONS', ...Object.keys(process.env).filter((name) => name.startsWith('_TAPJS'))];
  return [...names.flatMap((name) => ['-u', name]), ...(nodeOptions === undefined ? [] : [`NODE_OPTIONS=${nodeOptions}`])];
}

/** `packhost serve` as a real child process, with what it printed and how it ended. */
export class RunningService {
  token: string;
  readonly records: LogRecord[] = [];
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  ended: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  port = 0;

  constructor(options: ServeOptions) {
    const token = options.token ?? randomBytes(24).toString('base64url');
    this.token = token.trim();
    const folder = options.pack.startsWith('/') ? options.pack : fixturePack(options.pack);
    const [program, ...rest] = options.command ?? packhostCommand;
    const named = options.byFolder === true || options.isDev === true ? [folder] : ['--index', options.index ?? join(folder, 'index.json'), '--module-root', folder];
    const args = [...rest, options.isDev === true ? 'dev' : 'serve', ...named, '--host', '127.0.0.1', ...(options.args ?? [])];
    this.child = spawn('/usr/bin/env', [...withoutInstruments(options.env?.['NODE_OPTIONS']), program, ...args], {
      env: { PATH: process.env['PATH'], PORT: '0', KINDGI_PACK_SERVICE_TOKEN: token, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (this.child.stdout) createInterface({ input: this.child.stdout }).on('line', (line) => this.stdout.push(line));
    if (this.child.stderr) {
      createInterface({ input: this.child.stderr }).on('line', (line) => {
        this.stderr.push(line);
        if (!line.startsWith('{')) return;
        try {
          this.records.push(JSON.parse(line) as LogRecord);
        } catch {
          // A line that pack code printed; it stays in `stderr`.
        }
      });
    }
    running.add(this.child);
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        running.delete(this.child);
        this.ended = { code, signal };
        resolve(this.ended);
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the service did not start');
    return this.child.pid;
  }

  /** The first record of a kind that matches. */
  record(kind: string, matches: (record: LogRecord) => boolean = () => true): LogRecord | undefined {
    return this.records.find((record) => record.kind === kind && matches(record));
  }

  /** Waits for a record; fails when the service ends without it. */
  async recorded(kind: string, matches: (record: LogRecord) => boolean = () => true, withinMs = 30_000): Promise<LogRecord> {
    return until(() => {
      const found = this.record(kind, matches);
      if (!found && this.ended) throw new Error(`the service ended ${JSON.stringify(this.ended)} without a ${kind} record: ${this.stderr.slice(-5).join(' | ')}`);
      return found;
    }, `the ${kind} record`, withinMs);
  }

  async listening(): Promise<this> {
    const record = await this.recorded('listening', undefined, 30_000);
    this.port = record['port'] as number;
    return this;
  }

  /** Sends a signal and waits for the exit; kills and fails when it does not come. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', withinMs = 15_000): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    if (!this.ended) this.child.kill(signal);
    const ended = await Promise.race([this.exited, sleep(withinMs, undefined, { ref: false })]);
    if (ended) return ended;
    this.child.kill('SIGKILL');
    throw new Error(`still running ${withinMs} ms after ${signal}`);
  }

  /** One request, on a connection of its own unless `agent` keeps one. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const token = options.token === undefined ? this.token : options.token;
      const request = http.request(
        {
          host: '127.0.0.1', port: this.port, method, path, agent: options.agent ?? false,
          headers: { ...(token === null ? {} : { 'kindgi-pack-token': token }), ...options.headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            let body: unknown;
            try {
              body = JSON.parse(text);
            } catch {
              body = undefined;
            }
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: body as AnswerBody, elapsedMs: performance.now() - startedAt });
          });
        },
      );
      request.setTimeout(30_000, () => request.destroy(new Error('no answer in 30 s')));
      request.on('error', reject);
      options.onRequest?.(request);
      request.end(options.body);
    });
  }

  /** POST /v1/invoke with a message, or with raw bytes to send something that is none. */
  invoke(message: unknown, headers: http.OutgoingHttpHeaders = {}, options: RequestOptions = {}): Promise<HttpAnswer> {
    const body = typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message);
    return this.request('POST', '/v1/invoke', { body, headers: { 'content-type': 'application/json', ...headers }, ...options });
  }

  get(path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    return this.request('GET', path, options);
  }
}

/** Starts the service and waits for `listening`; whatever the test does, the process is gone at its end. */
export async function serve(t: Test, options: ServeOptions): Promise<RunningService> {
  const service = launch(t, options);
  return service.listening();
}

/** Starts the service without waiting: for boots that are meant to fail. */
export function launch(t: Test, options: ServeOptions): RunningService {
  const service = new RunningService(options);
  t.teardown(async () => {
    if (!service.ended) service.child.kill('SIGKILL');
    await service.exited;
  });
  return service;
}

/** Starts a service that is meant to end by itself, and answers how it did. */
export async function runToExit(t: Test, options: ServeOptions, withinMs = 20_000): Promise<RunningService> {
  const service = launch(t, options);
  await until(() => service.ended, 'the service to exit', withinMs);
  return service;
}
