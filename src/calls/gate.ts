import type { CurrentDispatch } from '../threads/schedule/dispatcher.js';
import { AdmittedCall } from './admitted-call.js';

/** Why a request is answered with 503, as its body says it. */
export interface Refusal {
  readonly error: 'draining' | 'not ready' | 'overloaded' | 'missing env';
  readonly missingEnv?: readonly string[];
}

/** A call let in, which `leave` must follow; or why not. */
export type Admission = { readonly kind: 'admitted'; readonly call: AdmittedCall } | { readonly kind: 'refused'; readonly refusal: Refusal };

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

/** Decides before anything is read whether a call is taken, and counts those that are. */
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
    if (!this.#options.lifecycle().wantsTraffic) return { error: 'draining' };
    return this.#serving.current.health.kind === 'serving' && !this.#options.isHeldUp() ? this.#missing() : { error: 'not ready' };
  }

  /** Lets a call in, or says why not. */
  enter(): Admission {
    const refusal = this.#refusal();
    if (refusal) return { kind: 'refused', refusal };
    this.#inFlight++;
    return { kind: 'admitted', call: new AdmittedCall(this.#serving, () => this.#left()) };
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #refusal(): Refusal | undefined {
    if (!this.#options.lifecycle().takesCalls) return { error: 'draining' };
    // While threads start, a call waits for one; only when they cannot be started it would wait in vain.
    if (this.#serving.current.health.kind === 'failing') return { error: 'not ready' };
    return this.#missing() ?? (this.#inFlight >= this.#options.limit ? { error: 'overloaded' } : undefined);
  }

  #left(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #missing(): Refusal | undefined {
    const missingEnv = this.#options.missingEnv();
    return missingEnv.length > 0 ? { error: 'missing env', missingEnv } : undefined;
  }
}
