import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stopAtExit } from '../targets/server-process.js';
import type { LoadJob, LoadReply, LoadReport } from './job.js';

/** The load generator's process, seen from the benchmark. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./main.js', import.meta.url)), [], { serialization: 'advanced' });
    stopAtExit(this.#child);
  }

  async run(job: LoadJob): Promise<LoadReport> {
    const abort = new AbortController();
    const answered = once(this.#child, 'message', { signal: abort.signal }) as Promise<[LoadReply]>;
    const ended = once(this.#child, 'exit', { signal: abort.signal }).then(([code]) => {
      throw new Error(`the load generator ended with ${String(code)}`);
    });
    this.#child.send(job);
    try {
      const [reply] = await Promise.race([answered, ended]);
      if (reply.kind === 'failed') throw new Error(`the load generator failed: ${reply.message}`);
      return reply.report;
    } finally {
      abort.abort();
      await Promise.allSettled([answered, ended]);
    }
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** Runs `work` with a load generator of its own. */
export async function withGenerator<T>(work: (generator: LoadGenerator) => Promise<T>): Promise<T> {
  const generator = new LoadGenerator();
  try {
    return await work(generator);
  } finally {
    generator.stop();
  }
}
