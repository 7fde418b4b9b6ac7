import { Bytes } from './bytes.js';
import { kindNames } from './kinds/index.js';
import { type Outcome, outcomes } from './outcomes.js';

/**
 * What became of a call for its caller. `unsent`: its time never came. `waiting`: sent, and no answer
 * yet. `answered`: status 200. `refused`: 503, so it did not run. `turned away`: another status. `hung
 * up`: the caller left before the answer. `left mid-body`: the caller left before the request was
 * whole. `lost`: the connection broke, or no answer came in time.
 */
export const fates = ['unsent', 'waiting', 'answered', 'refused', 'turned away', 'hung up', 'left mid-body', 'lost'] as const;
export type Fate = (typeof fates)[number];

/** An account as a message between processes carries it. */
export interface AccountData {
  readonly fates: Uint8Array;
  readonly outcomes: Uint8Array;
  readonly kinds: Uint8Array;
}

/** What became of every call, by its place in the plan. */
export class Account {
  readonly #fates: Bytes;
  readonly #outcomes: Bytes;
  readonly #kinds: Bytes;

  constructor(data?: AccountData) {
    this.#fates = data ? Bytes.from(data.fates) : new Bytes();
    this.#outcomes = data ? Bytes.from(data.outcomes) : new Bytes();
    this.#kinds = data ? Bytes.from(data.kinds) : new Bytes();
  }

  get length(): number {
    return this.#fates.length;
  }

  fate(sequence: number): Fate {
    return fates[this.#fates.get(sequence)] ?? 'unsent';
  }

  /** Of a call whose answer was a message of the protocol. */
  outcome(sequence: number): Outcome | undefined {
    return this.fate(sequence) === 'answered' ? outcomes[this.#outcomes.get(sequence) - 1] : undefined;
  }

  kind(sequence: number): string {
    return kindNames[this.#kinds.get(sequence)] ?? 'unknown';
  }

  set(sequence: number, kind: string, fate: Fate, outcome?: Outcome): void {
    this.#fates.set(sequence, fates.indexOf(fate));
    this.#kinds.set(sequence, kindNames.indexOf(kind));
    this.#outcomes.set(sequence, outcome === undefined ? 0 : outcomes.indexOf(outcome) + 1);
  }

  count(fate: Fate): number {
    let count = 0;
    for (let sequence = 0; sequence < this.length; sequence++) if (this.fate(sequence) === fate) count++;
    return count;
  }

  /** How often each kind came out which way: by outcome where it was answered, else by fate. */
  table(): Record<string, Record<string, number>> {
    const table: Record<string, Record<string, number>> = {};
    for (let sequence = 0; sequence < this.length; sequence++) {
      const fate = this.fate(sequence);
      if (fate === 'unsent') continue;
      const row = (table[this.kind(sequence)] ??= {});
      const label = this.outcome(sequence) ?? fate;
      row[label] = (row[label] ?? 0) + 1;
    }
    return table;
  }

  data(): AccountData {
    return { fates: this.#fates.toArray(), outcomes: this.#outcomes.toArray(), kinds: this.#kinds.toArray() };
  }
}
