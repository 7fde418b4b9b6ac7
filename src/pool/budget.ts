/** A pool that draws its threads from a budget shared with others. */
export interface BudgetMember {
  /** How many threads it has. */
  readonly size: number;
  /** Whether calls wait in it for a thread. */
  readonly hasWaiting: boolean;
  /** Ends a thread that idles, or else the next one that finishes its call. */
  giveUp(): void;
  /** A thread has become free to start. */
  onRoom(): void;
}

/**
 * The threads of all pools together stay below one maximum, and no pool can keep them from another:
 * while calls wait elsewhere, a pool gets no more than its share, and gives up what it has beyond it.
 */
export class ThreadBudget {
  readonly #max: number;
  readonly #members: BudgetMember[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  join(member: BudgetMember): void {
    this.#members.push(member);
  }

  /** Whether a pool may start a thread now; if it is due one that others hold, they are asked to give one up. */
  allows(member: BudgetMember): boolean {
    const share = this.#share(member);
    if (this.#total() < this.#max) {
      const owed = this.#members.some((other) => other !== member && other.hasWaiting && other.size < share);
      return !owed || member.size < share;
    }
    if (member.hasWaiting && member.size < share) this.#largest(member)?.giveUp();
    return false;
  }

  /** A thread has ended. */
  onEnded(): void {
    for (const member of this.#members) member.onRoom();
  }

  /** Whether there are more threads than allowed, as while a boot tries every profile once. */
  isExceeded(): boolean {
    return this.#total() > this.#max;
  }

  #total(): number {
    return this.#members.reduce((total, { size }) => total + size, 0);
  }

  /** An equal part for each pool that has calls waiting, the asking one included; at least one thread. */
  #share(asking: BudgetMember): number {
    const claimants = this.#members.filter((member) => member === asking || member.hasWaiting).length;
    return Math.max(1, Math.floor(this.#max / claimants));
  }

  #largest(except: BudgetMember): BudgetMember | undefined {
    const others = this.#members.filter((member) => member !== except && member.size > 0);
    return others.sort((a, b) => Number(a.hasWaiting) - Number(b.hasWaiting) || b.size - a.size)[0];
  }
}
