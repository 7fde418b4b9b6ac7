/**
 * What the service is doing. `booting`: the pack loads, nothing listens. `ready`: calls are taken.
 * `leaving`: it is to stop, `/readyz` fails so that balancers look elsewhere, calls are still taken
 * (for as long as the drain delay says). `draining`: calls in flight go on, new ones are refused.
 * `stopped`: nothing listens and no thread runs. It only ever moves forward through these.
 */
export type LifecycleState = 'booting' | 'ready' | 'leaving' | 'draining' | 'stopped';

const order: readonly LifecycleState[] = ['booting', 'ready', 'leaving', 'draining', 'stopped'];

/** Holds the state; the only way to change it is forward. */
export class Lifecycle {
  #state: LifecycleState = 'booting';

  get state(): LifecycleState {
    return this.#state;
  }

  advance(next: LifecycleState): void {
    if (order.indexOf(next) > order.indexOf(this.#state)) this.#state = next;
  }
}
