import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

/** However the benchmark ends, the process it started ends with it. */
export function stopAtExit(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

export interface ServerCommand {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A server as a child process: ready when stderr has a JSON line of kind `listening` with its port. */
export class ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process to its `listening` line. */
  readonly listeningMs: number;
  readonly startedAt: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, pid: number, port: number, startedAt: number) {
    this.#child = child;
    this.pid = pid;
    this.port = port;
    this.startedAt = startedAt;
    this.listeningMs = performance.now() - startedAt;
  }

  static async start({ args, cwd, env }: ServerCommand): Promise<ServerProcess> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env['PATH'], PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    stopAtExit(child);
    // Whatever it prints is taken and dropped: a full pipe would stall it, /dev/null would flatter a flood.
    child.stdout.resume();
    const lastLines: string[] = [];
    const port = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${args[0] ?? ''} ended with ${String(code)} before it listened:\n${lastLines.join('\n')}`)));
      const lines = createInterface({ input: child.stderr }).on('line', (line) => {
        const found = listeningPort(line);
        if (found !== undefined) {
          resolve(found);
          lines.close();
          child.stderr.resume();
        }
        lastLines.push(line);
        if (lastLines.length > 10) lastLines.shift();
      });
    });
    if (child.pid === undefined) throw new Error('a process without an id');
    return new ServerProcess(child, child.pid, port, startedAt);
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Asks it to stop, and kills it when it does not. */
  async stop(): Promise<void> {
    if (this.ended) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await Promise.race([exited, sleep(10_000, undefined, { ref: false })]);
    if (this.ended) return;
    this.#child.kill('SIGKILL');
    await exited;
  }
}

function listeningPort(line: string): number | undefined {
  if (!line.includes('"listening"')) return undefined;
  const record = JSON.parse(line) as { kind?: unknown; port?: unknown };
  return record.kind === 'listening' && typeof record.port === 'number' ? record.port : undefined;
}
