import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../running-service.js';

/** What collects a process's stderr. */
export type Collector = 'a pipe' | 'a socket';
export const collectors: readonly Collector[] = ['a pipe', 'a socket'];

/** A child process whose stderr nobody reads before the test does. */
export class Writer {
  readonly child: ChildProcess;
  readonly stderr: Readable;
  /** What it told on its stdout. */
  readonly told: string[] = [];
  /** What has been read of its stderr. */
  received = '';
  readonly exited: Promise<number | NodeJS.Signals | null>;

  constructor(child: ChildProcess, stderr: Readable) {
    this.child = child;
    this.stderr = stderr;
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.told.push(line));
    this.exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  }

  /** Waits until it has told so. */
  async tells(what: string): Promise<void> {
    await until(() => this.told.includes(what), `the writer to tell "${what}"`);
  }

  /** Waits until its event loop has turned so often from now on. */
  async turns(times: number): Promise<void> {
    const turned = (): number => this.told.filter((line) => line === 'turned').length;
    const before = turned();
    await until(() => turned() >= before + times, 'the event loop of the writer to turn');
  }

  /** Ends its stdin. */
  end(): void {
    this.child.stdin?.end();
  }

  /** Reads its stderr until it has ended, and returns its lines; waits so long after each piece. */
  async read(pauseMs = 0): Promise<string[]> {
    this.stderr.setEncoding('utf8').on('data', (piece: string) => {
      this.received += piece;
      if (pauseMs === 0) return;
      this.stderr.pause();
      setTimeout(() => this.stderr.resume(), pauseMs);
    });
    await once(this.stderr, 'close');
    return this.received.split('\n').slice(0, -1);
  }
}

/** Starts a script of this folder with an argument in JSON. */
export function startWriter(t: Test, script: string, argument: unknown, collector: Collector): Writer {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const start = (stderr: 'pipe' | number): ChildProcess => {
    // tap has every Node process that a test starts load its own instruments, which open stderr.
    const child = spawn('/usr/bin/env', ['-i', process.execPath, file, JSON.stringify(argument)], { stdio: ['pipe', 'pipe', stderr] });
    t.teardown(() => child.kill('SIGKILL'));
    return child;
  };
  if (collector === 'a socket') {
    const child = start('pipe');
    return new Writer(child, child.stderr as Readable);
  }
  const path = join(t.testdir(), 'stderr');
  execFileSync('mkfifo', [path]);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  const child = start(writing);
  closeSync(writing);
  return new Writer(child, new Socket({ fd: reading, readable: true, writable: false }));
}
