import type { PostedCall } from '../../src/threads/link/messages.js';

interface Node {
  readonly call: PostedCall;
  next: Node | undefined;
}

/**
 * The calls that wait for their turn, first come, first served. It uses nothing that pack code could have
 * replaced: an array's own methods may be another's by now.
 */
export class CallQueue {
  #first: Node | undefined;
  #last: Node | undefined;
  #size = 0;

  /** How many calls wait. */
  get size(): number {
    return this.#size;
  }

  add(call: PostedCall): void {
    const node: Node = { call, next: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    this.#size++;
  }

  /** The call that has waited longest; undefined when none waits. */
  take(): PostedCall | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    this.#size--;
    return first.call;
  }
}
