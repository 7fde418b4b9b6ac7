/** A scheduler that draws its threads from a budget shared with others. */
export interface BudgetMember {
  /** How many threads it has. */
  readonly size: number;
  /** Whether calls wait in it for a thread. */
  readonly hasWaiting: boolean;
  /** Its generation only finishes what it has: it is due one thread. */
  readonly isRetired: boolean;
  /** Its generation is about to take over, and must be warm when it does. */
  readonly isUpcoming: boolean;
  /** Ends an idle thread, or else the next one that finishes its call. */
  releaseThread(): void;
  /** A thread has become free to start. */
  onCapacityFreed(): void;
}

/**
 * Keeps the threads of all schedulers together below one maximum, and gives each its part: one where calls wait is due
 * an equal share of the threads. Until each has its share, the one with the fewest threads comes first, and of two with
 * as many, the one whose last new thread is longer ago.
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

  /** A scheduler is closed; its threads have ended. */
  leave(member: BudgetMember): void {
    this.#members.splice(this.#members.indexOf(member), 1);
    this.#lastAllowed.delete(member);
  }

  /** Whether a scheduler may start a thread now, which it must then do; if others hold its share, they are asked to release one. */
  allows(member: BudgetMember): boolean {
    const due = this.#due();
    if (this.#total() >= this.#max) {
      if (due.includes(member)) this.#largest(member)?.releaseThread();
      return false;
    }
    if (due.length > 0 && due[0] !== member) return false;
    this.#lastAllowed.set(member, ++this.#allowances);
    return true;
  }

  /** A thread has ended. */
  onEnded(): void {
    for (const member of this.#members) member.onCapacityFreed();
  }

  /** Whether there are more threads than allowed, as while a boot tries every profile once, or beside those of the generation before. */
  isExceeded(): boolean {
    return this.#total() > this.#max;
  }

  /** Whether any scheduler has threads, as those of the generation before have while the next one starts. */
  get isInUse(): boolean {
    return this.#total() > 0;
  }

  #total(): number {
    return this.#members.reduce((total, { size }) => total + size, 0);
  }

  /** The schedulers where calls wait and that have less than their share, the first to be served in front. */
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
