import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopAtExit } from '../../targets/server-process.js';
import { serviceFlags } from '../flags.js';
import type { SoakOptions } from '../options.js';
import type { SoakPack } from '../pack.js';
import { StderrWatch } from './stderr.js';

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Longer than the service may take to drain. */
const stopWithinMs = 20_000;
const closeWithinMs = 5_000;

/** `packhost serve` as a child process, with everything it prints read as it comes. */
export class SoakedService {
  readonly token = randomBytes(24).toString('base64url');
  readonly stderr: StderrWatch;
  readonly pid: number;
  stdoutBytes = 0;
  ended: Ending | undefined;
  readonly #child: ChildProcess;
  /** The process is gone. */
  readonly #exited: Promise<void>;
  /** And all it printed has been read. */
  readonly #closed: Promise<void>;

  private constructor({ entry, maxConcurrency }: SoakOptions, pack: SoakPack, sequenceOf: (nonce: unknown) => number | undefined) {
    this.stderr = new StderrWatch(sequenceOf);
    const child = spawn(process.execPath, [entry, 'serve', '--index', pack.indexPath, '--module-root', pack.moduleRoot, '--host', '127.0.0.1', ...serviceFlags(maxConcurrency)], {
      env: { PATH: process.env['PATH'], PORT: '0', NODE_ENV: 'production', KINDGI_PACK_SERVICE_TOKEN: this.token, SOAK_FOLDER: pack.shared },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    stopAtExit(child);
    if (child.pid === undefined) throw new Error('the service has no process id');
    this.#child = child;
    this.pid = child.pid;
    child.stdout.on('data', (chunk: Buffer) => (this.stdoutBytes += chunk.length));
    child.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    this.#exited = new Promise((resolve) => child.once('exit', (code, signal) => {
      this.ended = { code, signal };
      resolve();
    }));
    this.#closed = new Promise((resolve) => child.once('close', () => {
      this.stderr.end();
      resolve();
    }));
  }

  /** Starts it; resolves with the service and its port once it listens. */
  static async start(options: SoakOptions, pack: SoakPack, sequenceOf: (nonce: unknown) => number | undefined): Promise<{ service: SoakedService; port: number }> {
    const service = new SoakedService(options, pack, sequenceOf);
    const port = await Promise.race([service.stderr.listening, service.#closed]);
    if (port === undefined) throw new Error(`the service ended before it listened: ${service.stderr.strangers.join('\n')}`);
    return { service, port };
  }

  /** Sends SIGTERM and waits; answers how it ended, undefined when it had to be killed. */
  async stop(): Promise<Ending | undefined> {
    if (this.ended) return this.ended;
    this.#child.kill('SIGTERM');
    await Promise.race([this.#exited, sleep(stopWithinMs, undefined, { ref: false })]);
    const { ended } = this;
    this.#child.kill('SIGKILL');
    await this.#exited;
    // A process that a tool left behind could hold the pipe open for longer.
    await Promise.race([this.#closed, sleep(closeWithinMs, undefined, { ref: false })]);
    return ended;
  }
}
