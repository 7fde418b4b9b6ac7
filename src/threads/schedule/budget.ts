/** A pool that draws its threads from a budget shared with others. */
export interface BudgetMember {
  /** How many threads it has. */
  readonly size: number;
  /** Whether calls wait in it for a thread. */
  readonly hasWaiting: boolean;
  /** Its generation only finishes what it has: one thread is all it is due. */
  readonly isRetired: boolean;
  /** Its generation is about to take over, and must be warm when it does. */
  readonly isUpcoming: boolean;
  /** Ends a thread that idles, or else the next one that finishes its call. */
  giveUp(): void;
  /** A thread has become free to start. */
  onRoom(): void;
}

/**
 * Keeps the threads of all pools together below one maximum, and no pool from its own: a pool where
 * calls wait is due an equal share of the threads. Until each has what it is due, the pool with the
 * fewest threads comes first, and of two with as many, the one that has waited longer since its last.
 */
export class ThreadBudget {
  readonly #max: number;
  readonly #members: BudgetMember[] = [];
  /** When each was last allowed a thread, in a count of its own. */
  readonly #lastAllowed = new Map<BudgetMember, number>();
  #allowances = 0;

  constructor(max: number) {
    this.#max = max;
  }

  join(member: BudgetMember): void {
    this.#members.push(member);
  }

  /** A pool is closed; its threads have ended. */
  leave(member: BudgetMember): void {
    this.#members.splice(this.#members.indexOf(member), 1);
    this.#lastAllowed.delete(member);
  }

  /** Whether a pool may start a thread now, which it must do then; if others hold what it is due, they are asked to give one up. */
  allows(member: BudgetMember): boolean {
    const due = this.#due();
    if (this.#total() >= this.#max) {
      if (due.includes(member)) this.#largest(member)?.giveUp();
      return false;
    }
    if (due.length > 0 && due[0] !== member) return false;
    this.#lastAllowed.set(member, ++this.#allowances);
    return true;
  }

  /** A thread has ended. */
  onEnded(): void {
    for (const member of this.#members) member.onRoom();
  }

  /** Whether there are more threads than allowed, as while a boot tries every profile once, or beside those of the generation before. */
  isExceeded(): boolean {
    return this.#total() > this.#max;
  }

  /** Whether a pool has threads, as those of the generation before have while the next one starts. */
  get isInUse(): boolean {
    return this.#total() > 0;
  }

  #total(): number {
    return this.#members.reduce((total, { size }) => total + size, 0);
  }

  /** The pools where calls wait and that have less than their share, the one to be served first in front. */
  #due(): BudgetMember[] {
    const claimants = this.#members.filter((member) => member.hasWaiting);
    const share = Math.max(1, Math.floor(this.#max / Math.max(1, claimants.length)));
    return claimants.filter(({ size, isRetired }) => size < (isRetired ? 1 : share)).sort((a, b) => a.size - b.size || (this.#lastAllowed.get(a) ?? 0) - (this.#lastAllowed.get(b) ?? 0));
  }

  #largest(except: BudgetMember): BudgetMember | undefined {
    const others = this.#members.filter((member) => member !== except && member.size > 0 && !member.isUpcoming);
    return others.sort((a, b) => Number(a.hasWaiting) - Number(b.hasWaiting) || b.size - a.size)[0];
  }
}
