import { Bytes } from '../bytes.js';
import type { CallRecords } from '../judge/account.js';
import type { Problem } from '../judge/problem.js';
import { type Outcome, isOutcome, outcomes } from '../outcomes.js';
import { floodLetter } from '../tools/flood.js';
import { Lines } from './lines.js';

/** Every record starts so; a flood that it lands in may stand before it on its line. */
const recordStart = '{"level":"';
const flood = new RegExp(`^${floodLetter}*$`);
/** A frame in a file of packhost's own. The tools' are under dist/bench. */
const ownFrame = /\bdist\/(?:src|workers)\//;
const mostStrangers = 20;

type Fields = Readonly<Record<string, unknown>>;

/** Counts what the service says on stderr, and keeps none of it. */
export class StderrWatch {
  /** How many records of each kind there were. */
  readonly kinds: Record<string, number> = {};
  /** Lines that are neither a record nor of a flood: the first of them. */
  readonly strangers: string[] = [];
  readonly listening: Promise<number>;
  bytes = 0;
  readonly #calls = new Bytes();
  readonly #outcomes = new Bytes();
  readonly #lateFaults = new Bytes();
  readonly #faults: Problem[] = [];
  readonly #lines = new Lines((line) => this.#line(line));
  readonly #sequenceOf: (nonce: unknown) => number | undefined;
  #unnamed = 0;
  #onListening: (port: number) => void = () => {};

  constructor(sequenceOf: (nonce: unknown) => number | undefined) {
    this.#sequenceOf = sequenceOf;
    this.listening = new Promise((resolve) => (this.#onListening = resolve));
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#lines.push(chunk);
  }

  end(): void {
    this.#lines.end();
  }

  get calls(): CallRecords {
    return {
      count: (sequence) => this.#calls.get(sequence),
      outcome: (sequence) => (this.#calls.get(sequence) > 0 ? outcomes[this.#outcomes.get(sequence)] : undefined),
      faultedLate: (sequence) => this.#lateFaults.get(sequence) > 0,
      length: Math.max(this.#calls.length, this.#lateFaults.length),
      unnamed: this.#unnamed,
    };
  }

  /** Faults of the service itself. */
  *problems(): Generator<Problem> {
    yield* this.#faults;
  }

  #line(line: string): void {
    const start = line.indexOf(recordStart);
    if (start >= 0) {
      const record = parse(line.slice(start));
      if (record) return this.#record(record);
    }
    if (flood.test(line)) return;
    if (this.strangers.length < mostStrangers) this.strangers.push(line.slice(0, 500));
    if (ownFrame.test(line)) this.#fault(`a stack trace of packhost's own: ${line.trim()}`);
  }

  #record(record: Fields): void {
    const kind = typeof record['kind'] === 'string' ? record['kind'] : 'other';
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
    const sequence = this.#sequenceOf(record['requestId']);
    if (kind === 'listening') this.#onListening(Number(record['port']));
    else if (kind === 'call') this.#call(sequence, record['outcome']);
    else if (kind === 'late-fault') {
      if (sequence === undefined) this.#fault('a late fault that is laid to no call', 'late faults');
      else this.#lateFaults.set(sequence, 1);
    } else if (kind === 'request-failed' || kind === 'thread-failed') this.#fault(`${kind}: ${JSON.stringify(record).slice(0, 500)}`);
  }

  #call(sequence: number | undefined, outcome: unknown): void {
    if (sequence === undefined) {
      this.#unnamed++;
      return;
    }
    const known: Outcome | undefined = isOutcome(outcome) ? outcome : undefined;
    if (known === undefined) this.#fault(`a call record with outcome ${String(outcome)}`);
    else this.#outcomes.set(sequence, outcomes.indexOf(known));
    this.#calls.increment(sequence);
  }

  #fault(detail: string, invariant: Problem['invariant'] = 'stderr'): void {
    if (this.#faults.length < mostStrangers) this.#faults.push({ invariant, detail });
  }
}

function parse(text: string): Fields | undefined {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return undefined;
  }
}
