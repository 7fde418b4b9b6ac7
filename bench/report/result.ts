import type { Measurement, Metric, Parameters, Round } from '../measurement.js';
import { summarize, type Summary } from '../measure/statistics.js';
import type { Scenario } from '../scenario.js';
import type { Machine } from './machine.js';

/** One setting of one target: what the rounds say, then the rounds themselves. */
export interface ResultRow {
  readonly target: string;
  readonly parameters: Parameters;
  readonly summary: Readonly<Record<string, Summary>>;
  /** Multiples of the floor's figure, each taken in one round: what disturbed that round disturbed both. */
  readonly ratios: Readonly<Record<string, Summary>>;
  readonly rounds: readonly Round[];
}

/** The circumstances every result names. */
export interface Circumstances {
  readonly date: string;
  readonly quick: boolean;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Machine;
  /** The load average of the minute before: above a few tenths, something else had the cores too. */
  readonly loadBefore: number;
}

/** One scenario's results, as the JSON file holds them. */
export interface Result extends Circumstances {
  readonly scenario: string;
  readonly title: string;
  readonly flags: readonly string[];
  readonly floor?: string;
  readonly notes: readonly string[];
  readonly metrics: readonly Metric[];
  readonly results: readonly ResultRow[];
}

/** Puts a scenario's measurements together with what they mean and where they were taken. */
export function resultOf(scenario: Scenario, measurements: readonly Measurement[], circumstances: Circumstances): Result {
  const { name, title, flags, floor, notes, metrics } = scenario;
  const rows = measurements.map((measurement): ResultRow => {
    const { target, parameters, rounds } = measurement;
    return { target, parameters, summary: summaries(metrics, rounds), ratios: ratios(metrics, rounds, floorRounds(measurement, measurements, floor)), rounds };
  });
  return { scenario: name, title, ...circumstances, flags, ...(floor === undefined ? {} : { floor }), notes, metrics, results: rows };
}

function floorRounds({ target, parameters }: Measurement, all: readonly Measurement[], floor: string | undefined): readonly Round[] {
  if (floor === undefined || target === floor) return [];
  const key = JSON.stringify(parameters);
  const same = all.find((other) => other.target === floor && JSON.stringify(other.parameters) === key);
  // A parameter that says how large the target's own pack is has no counterpart at the floor.
  const only = all.filter((other) => other.target === floor);
  return (same ?? (only.length === 1 ? only[0] : undefined))?.rounds ?? [];
}

function summaries(metrics: readonly Metric[], rounds: readonly Round[]): Record<string, Summary> {
  const found: Record<string, Summary> = {};
  for (const { name } of metrics) {
    const summary = summarize(rounds.flatMap((round) => round[name] ?? []));
    if (summary) found[name] = summary;
  }
  return found;
}

function ratios(metrics: readonly Metric[], rounds: readonly Round[], floor: readonly Round[]): Record<string, Summary> {
  const found: Record<string, Summary> = {};
  for (const { name, ratio } of metrics) {
    if (!ratio) continue;
    const summary = summarize(rounds.flatMap((round, index) => {
      const [own, other] = [round[name], floor[index]?.[name]];
      return own === undefined || other === undefined || other === 0 ? [] : own / other;
    }));
    if (summary) found[name] = summary;
  }
  return found;
}
