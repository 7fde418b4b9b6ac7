/** The messages between the benchmark and its load generator, a process of its own. */

interface Load {
  readonly port: number;
  /** The whole request, head and body, as it goes over the wire. */
  readonly request: Uint8Array;
  /** The body every answer must have, byte for byte. */
  readonly expected: Uint8Array;
  readonly connections: number;
  readonly warmMs: number;
  readonly durationMs: number;
  /** The process whose CPU time is read at both ends of the counted part. */
  readonly pid?: number;
}

/** Every connection sends its next request when it has its answer: finds the maximum. */
export interface ClosedLoopJob extends Load {
  readonly kind: 'closed-loop';
  /** How long a connection rests before its next request; a prober rests, load does not. */
  readonly pauseMs?: number;
}

/** Requests leave on a schedule, whatever the answers do: finds the latency at that rate. */
export interface OpenLoopJob extends Load {
  readonly kind: 'open-loop';
  readonly callsPerSecond: number;
}

export type LoadJob = ClosedLoopJob | OpenLoopJob;

/** Times in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface LoadReport {
  /** Right answers in the counted part. */
  readonly answers: number;
  /** Everything else, by what was wrong. */
  readonly failures: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly latencyMs: Percentiles;
  /** CPU time of the process under load, of all its threads. */
  readonly serverCpuMs: number;
  /** CPU time of the generator: near `seconds` it was the bottleneck, not the server. */
  readonly generatorCpuMs: number;
}

export type LoadReply = { readonly kind: 'report'; readonly report: LoadReport } | { readonly kind: 'failed'; readonly message: string };
