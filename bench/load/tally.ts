import { cpuTimeMs } from '../measure/process-usage.js';
import { percentiles } from '../measure/statistics.js';
import type { Verdict } from './answer-reader.js';
import type { LoadReport } from './job.js';

/** Counts what happens between `open` and `close`, and the CPU time both processes spend meanwhile. */
export class Tally {
  readonly #pid: number | undefined;
  readonly #latencies: number[] = [];
  readonly #failures: Record<string, number> = {};
  #openedAt = 0;
  #seconds = 0;
  #serverCpu = 0;
  #generatorCpu = 0;
  #counting = false;

  constructor(pid: number | undefined) {
    this.#pid = pid;
  }

  get empty(): boolean {
    return this.#latencies.length === 0 && Object.keys(this.#failures).length === 0;
  }

  open(): void {
    this.#counting = true;
    this.#serverCpu = this.#readServerCpu();
    this.#generatorCpu = ownCpuMs();
    this.#openedAt = performance.now();
  }

  close(): void {
    this.#seconds = (performance.now() - this.#openedAt) / 1000;
    this.#serverCpu = this.#readServerCpu() - this.#serverCpu;
    this.#generatorCpu = ownCpuMs() - this.#generatorCpu;
    this.#counting = false;
  }

  /** Counts an answer that came just now, if the counted part is on. */
  answered(verdict: Verdict, latencyMs: number): void {
    if (this.#counting) this.count(verdict, latencyMs);
  }

  /** Counts an answer whenever it came. */
  count(verdict: Verdict, latencyMs: number): void {
    if (verdict === 'ok') this.#latencies.push(latencyMs);
    else this.#failures[verdict] = (this.#failures[verdict] ?? 0) + 1;
  }

  report(): LoadReport {
    return {
      answers: this.#latencies.length,
      failures: this.#failures,
      seconds: this.#seconds,
      latencyMs: percentiles(this.#latencies),
      serverCpuMs: this.#serverCpu,
      generatorCpuMs: this.#generatorCpu,
    };
  }

  #readServerCpu(): number {
    return this.#pid === undefined ? 0 : cpuTimeMs(this.#pid);
  }
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
