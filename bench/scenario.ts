import type { Measurement, Metric } from './measurement.js';
import type { BenchOptions } from './options.js';
import type { Target } from './targets/target.js';

/** How long and how often to measure. */
export interface Pace {
  readonly rounds: number;
  /** The counted part of a round. */
  readonly roundMs: number;
  /** Load before the counted part, in every round: a process that idled while the others had their turn is slower for up to a second. */
  readonly warmMs: number;
  /** Load before the first round, so that code is compiled by the time it counts. */
  readonly firstWarmMs: number;
}

export const fullPace: Pace = { rounds: 5, roundMs: 3000, warmMs: 1000, firstWarmMs: 3000 };
export const quickPace: Pace = { rounds: 2, roundMs: 300, warmMs: 100, firstWarmMs: 300 };

/** What a scenario gets to work with. */
export interface BenchContext {
  readonly options: BenchOptions;
  readonly pace: Pace;
  /** packhost, with these arguments after `serve`. */
  readonly packhost: (flags?: readonly string[]) => Target;
  /** The named peers that this run includes; bare `node:http` is always one. */
  readonly peers: (names: readonly string[]) => Target[];
  /** Tells who watches what is going on; not part of the report. */
  readonly progress: (text: string) => void;
}

/** One question put to the service, and its figures. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly metrics: readonly Metric[];
  /** The target that ratios are taken against. */
  readonly floor?: string;
  /** The arguments packhost ran with, as the report names them. */
  readonly flags: readonly string[];
  /** What a reader has to know to read the figures. */
  readonly notes: readonly string[];
  run(context: BenchContext): Promise<Measurement[]>;
}

/** The targets in the order of this round: each one goes first as often as any other. */
export function rotated<T>(targets: readonly T[], round: number): T[] {
  const first = targets.length === 0 ? 0 : round % targets.length;
  return [...targets.slice(first), ...targets.slice(0, first)];
}
