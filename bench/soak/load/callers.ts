import { Agent } from 'node:http';
import { Account } from '../account.js';
import { judgeAnswer, nameOf } from '../judge/answer.js';
import { Problems } from '../judge/problem.js';
import { type PlannedCall, sequenceOf } from '../plan.js';
import { type Address, send } from './send.js';
import { Timing } from './timing.js';

const mostReasons = 20;

/** All callers together: sends calls, judges their answers, keeps the account. */
export class Callers {
  readonly account: Account;
  readonly problems = new Problems();
  /** Why answers were lost, of the first that were. */
  readonly lost: Record<number, string> = {};
  /** From the moment an echo was due. */
  readonly echo = new Timing();
  /** From a deadline to its answer, as the caller sees it. */
  readonly lateness = new Timing();
  readonly #address: Address;
  readonly #seed: number;
  readonly #agent: Agent;
  #inFlight = 0;
  #onIdle = (): void => {};

  constructor(address: Address, connections: number, seed: number, account = new Account()) {
    this.account = account;
    this.#address = address;
    this.#seed = seed;
    // In turn, so that no connection idles for so long that the service closes it under a call.
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections, scheduling: 'fifo' });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sends a call that was due then; the rest follows. */
  call(call: PlannedCall, dueAt: number): void {
    this.#inFlight++;
    this.account.set(call.sequence, call.kind, 'waiting');
    this.#call(call, dueAt)
      .catch((error: unknown) => this.problems.add({ invariant: 'expected', detail: `${nameOf(call)}: it could not be judged: ${String(error)}` }))
      .finally(() => {
        this.#inFlight--;
        if (this.#inFlight === 0) this.#onIdle();
      });
  }

  /** Resolves when every call has come to its end. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#agent.destroy();
  }

  async #call(call: PlannedCall, dueAt: number): Promise<void> {
    const { sequence, kind, ask } = call;
    const sent = await send(call, this.#address, this.#agent);
    if (sent.kind !== 'answer') {
      this.account.set(sequence, kind, sent.kind);
      if (sent.kind === 'lost' && Object.keys(this.lost).length < mostReasons) this.lost[sequence] = sent.why;
      if (sent.kind === 'hung up' && call.retry) this.call(call.retry, performance.now());
      return;
    }
    const { fate, outcome, problems } = judgeAnswer(call, sent.answer, (nonce) => sequenceOf(this.#seed, nonce));
    this.account.set(sequence, kind, fate, outcome);
    this.problems.addAll(problems);
    if (kind === 'echo' && outcome === 'ok') this.echo.add(sent.answeredAt - dueAt);
    if (outcome === 'deadline-exceeded' && ask.deadlineMs !== undefined) this.lateness.add(sent.answeredAt - sent.sentAt - ask.deadlineMs);
  }
}
