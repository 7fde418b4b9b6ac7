import type { Round } from '../measurement.js';
import type { ProvenCall } from '../targets/calibrate.js';
import type { LoadGenerator } from './generator.js';
import type { LoadReport } from './job.js';

export interface RoundLength {
  readonly warmMs: number;
  readonly durationMs: number;
}

export interface ClosedRound extends RoundLength {
  readonly connections: number;
  readonly pid: number;
}

/** How often a prober asks: often enough that no hold of interest falls between two questions. */
const probePauseMs = 2;

/** One round as fast as the target answers. */
export const closedRound = (generator: LoadGenerator, call: ProvenCall, round: ClosedRound): Promise<LoadReport> =>
  generator.run({ kind: 'closed-loop', ...call, ...round });

/** Asks over and over on one connection, while another generator makes the load. */
export const probeRound = (prober: LoadGenerator, call: ProvenCall, length: RoundLength): Promise<LoadReport> =>
  prober.run({ kind: 'closed-loop', ...call, connections: 1, pauseMs: probePauseMs, ...length });

export interface OpenRound extends RoundLength {
  readonly connections: number;
  readonly callsPerSecond: number;
}

/** One round at a fixed rate. */
export const openRound = (generator: LoadGenerator, call: ProvenCall, round: OpenRound): Promise<LoadReport> =>
  generator.run({ kind: 'open-loop', ...call, ...round });

/** Fails the scenario when any answer was wrong: a figure that counts errors as work is worse than none. */
export function clean(report: LoadReport, what: string): LoadReport {
  if (Object.keys(report.failures).length > 0) throw new Error(`${what}: not all answers were right: ${JSON.stringify(report.failures)}`);
  if (report.answers === 0) throw new Error(`${what}: no answer in ${report.seconds.toFixed(1)} s`);
  return report;
}

export const failureCount = (report: LoadReport): number => Object.values(report.failures).reduce((sum, count) => sum + count, 0);

export const callsPerSecond = (report: LoadReport): number => report.answers / report.seconds;

/** The figures of a round that every closed loop gives. */
export const throughputFigures = (report: LoadReport): Round => ({
  callsPerSecond: callsPerSecond(report),
  cpuMicrosecondsPerCall: (report.serverCpuMs * 1000) / report.answers,
  generatorCores: report.generatorCpuMs / 1000 / report.seconds,
});
