import type { EventStream } from '../events/event-stream.js';
import type { RefusalReason } from '../events/event.js';
import type { CurrentDispatch } from '../threads/schedule/dispatcher.js';
import { Call } from './call.js';
import type { Gate, Refusal } from './gate.js';

/** A call let in, which `leave` must follow; or why not. */
export type Admission = { readonly kind: 'admitted'; readonly call: Call } | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The way of a call, whatever front it comes by: it is let in or refused, its deadline runs, it runs on a thread, and
 * what became of it is told to every observer before its caller hears of it. Knows no request, response or status.
 */
export class Calls {
  readonly #gate: Gate;
  readonly #serving: CurrentDispatch;
  readonly #events: EventStream;

  constructor(gate: Gate, serving: CurrentDispatch, events: EventStream) {
    this.#gate = gate;
    this.#serving = serving;
    this.#events = events;
  }

  /** Why no call should be sent; undefined when calls are welcome. */
  unready(): Refusal | undefined {
    return this.#gate.unready();
  }

  /** A call comes: lets it in, before anything of it is read, or says why not. */
  admit(): Admission {
    this.#events.emit({ kind: 'call-came' });
    const refusal = this.#gate.enter();
    if (refusal === undefined) return { kind: 'admitted', call: new Call(this.#serving, this.#events, () => this.#gate.leave()) };
    this.refuse(refusal.reason);
    return { kind: 'refused', refusal };
  }

  /** A front does not take a call, by rules of its own. */
  refuse(reason: RefusalReason): void {
    this.#events.emit({ kind: 'call-refused', reason });
  }
}
