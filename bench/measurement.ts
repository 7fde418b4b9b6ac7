/** One round's figures, by the name of their metric. */
export type Round = Readonly<Record<string, number>>;

export type Parameters = Readonly<Record<string, string | number>>;

/** All rounds of one target under one set of parameters, in the order they ran. */
export interface Measurement {
  readonly target: string;
  readonly parameters: Parameters;
  readonly rounds: readonly Round[];
}

/** How a metric is shown, and whether it is compared with the floor. */
export interface Metric {
  readonly name: string;
  readonly label: string;
  readonly digits: number;
  /** Shows this metric as a multiple of the floor's, taken in the same round. */
  readonly ratio?: boolean;
}

/** Gathers rounds as they are measured, one after another over all targets. */
export class Recording {
  readonly #rounds = new Map<string, { target: string; parameters: Parameters; rounds: Round[] }>();

  add(target: string, parameters: Parameters, round: Round): void {
    const key = JSON.stringify([target, parameters]);
    const entry = this.#rounds.get(key) ?? { target, parameters, rounds: [] };
    entry.rounds.push(round);
    this.#rounds.set(key, entry);
  }

  /** Grouped by parameters, so that a table puts the targets of one setting side by side. */
  measurements(): Measurement[] {
    const order = [...new Set([...this.#rounds.values()].map(({ parameters }) => JSON.stringify(parameters)))];
    return [...this.#rounds.values()].sort((a, b) => order.indexOf(JSON.stringify(a.parameters)) - order.indexOf(JSON.stringify(b.parameters)));
  }
}
