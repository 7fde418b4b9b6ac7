import type { ServiceEvent } from './event.js';

/** Takes notice of events. Who emits an event and waits, waits for the promise that this returns, if it returns one. */
export type Observer = (event: ServiceEvent) => Promise<void> | void;

/** Emits an event that nobody waits for. */
export type Emit = (event: ServiceEvent) => void;

/** Hands each event to every observer, in the order in which they came. */
export class EventStream {
  readonly #observers: Observer[] = [];

  /** Returns how to stop. */
  observe(observer: Observer): () => void {
    this.#observers.push(observer);
    return () => {
      const at = this.#observers.indexOf(observer);
      if (at >= 0) this.#observers.splice(at, 1);
    };
  }

  /** Emits an event, and goes on. */
  readonly emit: Emit = (event) => {
    for (const observer of this.#observers) {
      const noticed = observer(event);
      if (noticed !== undefined) this.inBackground(`noticing ${event.kind}`, noticed);
    }
  };

  /** Emits an event, and resolves when every observer has taken notice: a call's response waits for its record. */
  emitAndWait(event: ServiceEvent): Promise<void> | undefined {
    let waits: Promise<void> | undefined;
    for (const observer of this.#observers) {
      const noticed = observer(event);
      if (noticed !== undefined) waits = waits === undefined ? noticed : both(waits, noticed);
    }
    return waits;
  }

  /**
   * Goes on with work that nobody waits for, and reports its failure as `background-failed`. The one way to leave a
   * promise unawaited. `work` names it for the record.
   */
  inBackground(work: string, promise: Promise<unknown>): void {
    promise.catch((error: unknown) => this.emit({ kind: 'background-failed', work, error }));
  }
}

async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  await Promise.all([first, second]);
}
