import type { ServiceEvent } from './event.js';

/** Takes notice of events. What an event leads to waits for the promise it returns, if it returns one: a call's answer for its record. */
export type Observer = (event: ServiceEvent) => Promise<void> | void;

/** Emits an event; returns a promise only where an observer asked to be waited for. */
export type Emit = (event: ServiceEvent) => Promise<void> | void;

/** Hands each event to every observer, in the order in which they came. */
export class EventStream {
  readonly #observers: Observer[] = [];

  observe(observer: Observer): void {
    this.#observers.push(observer);
  }

  /** An observer that throws or rejects fails the emitter: what must not happen unnoticed has not been noticed. */
  readonly emit: Emit = (event) => {
    const [only] = this.#observers;
    if (only !== undefined && this.#observers.length === 1) return only(event);
    let waits: Promise<void>[] | undefined;
    for (const observer of this.#observers) {
      const wait = observer(event);
      if (wait !== undefined) (waits ??= []).push(wait);
    }
    return waits === undefined ? undefined : Promise.all(waits).then(() => undefined);
  };

  /**
   * Goes on with work that nobody waits for, and reports its failure as `background-failed`. The one way to leave a
   * promise unawaited. `work` names it for the record.
   */
  inBackground(work: string, promise: Promise<unknown>): void {
    promise.catch((error: unknown) => this.emit({ kind: 'background-failed', work, error }));
  }
}
