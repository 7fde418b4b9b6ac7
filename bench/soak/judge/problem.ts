/** What a soak asserts, each with what holds when it holds. */
export const invariants = {
  answers: 'every call that was not hung up got exactly one HTTP answer',
  expected: 'every answer is one that its kind of call allows',
  'own data': "no answer carries another call's data",
  'single runs': 'no call ran twice, or in a way that nobody called',
  'refused unrun': 'no call ran that was refused, turned away, or not whole',
  'answered ran': 'every call ran whose answer says so',
  records: 'every answered call has one record with its outcome, and no other call has one',
  'late faults': 'what failed after an answer is laid to the call that left it behind',
  memory: 'resident memory is level',
  threads: 'threads that were lost are gone',
  capacity: 'at the end all the calls that the service takes at once ran side by side, and one more was refused',
  health: '/healthz always answered 200',
  'same process': 'the service ran from start to end in one process',
  stderr: 'stderr has no fault of packhost itself',
  exit: 'SIGTERM ended the service with exit code 0',
} as const;
export type Invariant = keyof typeof invariants;

/** One way in which an invariant did not hold. */
export interface Problem {
  readonly invariant: Invariant;
  readonly detail: string;
}

/** How many problems are told in full; a service that is broken through and through has one per call. */
const mostTold = 20;

/** Gathers problems: all of them counted, the first of each invariant told. */
export class Problems {
  readonly #told = new Map<Invariant, string[]>();
  readonly #counts = new Map<Invariant, number>();

  add({ invariant, detail }: Problem): void {
    const told = this.#told.get(invariant) ?? [];
    if (told.length < mostTold) told.push(detail);
    this.#told.set(invariant, told);
    this.#counts.set(invariant, this.count(invariant) + 1);
  }

  addAll(problems: Iterable<Problem>): void {
    for (const problem of problems) this.add(problem);
  }

  count(invariant: Invariant): number {
    return this.#counts.get(invariant) ?? 0;
  }

  told(invariant: Invariant): readonly string[] {
    return this.#told.get(invariant) ?? [];
  }

  /** As plain data: what another process sends, and `merge` takes. */
  data(): ProblemData[] {
    return [...this.#told].map(([invariant, told]) => ({ invariant, told, count: this.count(invariant) }));
  }

  merge(data: readonly ProblemData[]): void {
    for (const { invariant, told, count } of data) {
      for (const detail of told) this.add({ invariant, detail });
      this.#counts.set(invariant, this.count(invariant) + count - told.length);
    }
  }
}

export interface ProblemData {
  readonly invariant: Invariant;
  readonly told: readonly string[];
  readonly count: number;
}
