import type { RefusalReason } from '../events/event.js';
import type { CurrentDispatch } from '../threads/schedule/dispatcher.js';

/** Why a call is not taken; it has not run, and may be sent again. */
export interface Refusal {
  readonly reason: Extract<RefusalReason, 'draining' | 'not ready' | 'overloaded' | 'missing env'>;
  readonly missingEnv?: readonly string[];
}

/** What the gate goes by. */
export interface GateOptions {
  /** How many calls may be in flight at once. */
  readonly limit: number;
  /** The required environment names that keep the service unready. */
  missingEnv(): readonly string[];
  /** Whether balancers should look elsewhere although calls are taken. */
  isHeldUp(): boolean;
  /** Whether balancers should send traffic, and whether calls that come all the same are taken. */
  lifecycle(): { readonly wantsTraffic: boolean; readonly takesCalls: boolean };
}

/** Decides whether a call is taken before anything of it is read, and counts those that are. */
export class Gate {
  readonly #serving: CurrentDispatch;
  readonly #options: GateOptions;
  readonly #whenIdle: (() => void)[] = [];
  #inFlight = 0;

  constructor(serving: CurrentDispatch, options: GateOptions) {
    this.#serving = serving;
    this.#options = options;
  }

  /** Why the service is not ready; undefined when it is. */
  unready(): Refusal | undefined {
    if (!this.#options.lifecycle().wantsTraffic) return { reason: 'draining' };
    return this.#serving.current.health.kind === 'serving' && !this.#options.isHeldUp() ? this.#missing() : { reason: 'not ready' };
  }

  /** Lets a call in, which `leave` must follow; or returns why not. */
  enter(): Refusal | undefined {
    const refusal = this.#refusal();
    if (refusal === undefined) this.#inFlight++;
    return refusal;
  }

  /** A call that was let in is over, and another may have its place. */
  leave(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #refusal(): Refusal | undefined {
    if (!this.#options.lifecycle().takesCalls) return { reason: 'draining' };
    // While threads start, a call waits for one; only when they cannot be started it would wait in vain.
    if (this.#serving.current.health.kind === 'failing') return { reason: 'not ready' };
    return this.#missing() ?? (this.#inFlight >= this.#options.limit ? { reason: 'overloaded' } : undefined);
  }

  #missing(): Refusal | undefined {
    const missingEnv = this.#options.missingEnv();
    return missingEnv.length > 0 ? { reason: 'missing env', missingEnv } : undefined;
  }
}
