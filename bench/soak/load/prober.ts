import { Agent, get } from 'node:http';
import { type Times, Timing } from './timing.js';

const everyMs = 50;
const lostAfterMs = 30_000;

/** Asks /healthz twenty times a second, whether or not the last question has been answered. */
export class Prober {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #timing = new Timing();
  readonly #onFailure: (failure: string) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #port: number;
  #open = 0;

  constructor(port: number, onFailure: (failure: string) => void) {
    this.#port = port;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => this.#ask(), everyMs);
  }

  get times(): Times {
    return this.#timing.times();
  }

  /** Asks no more; resolves when the last question has been answered. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    this.#agent.destroy();
  }

  #ask(): void {
    const askedAt = performance.now();
    this.#open++;
    let settled = false;
    const settle = (failure?: string): void => {
      if (settled) return;
      settled = true;
      this.#open--;
      if (failure === undefined) this.#timing.add(performance.now() - askedAt);
      else this.#onFailure(failure);
    };
    const request = get({ host: '127.0.0.1', port: this.#port, path: '/healthz', agent: this.#agent }, (response) => {
      response.resume();
      response.on('end', () => settle(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
    });
    request.setTimeout(lostAfterMs, () => request.destroy(new Error(`no answer within ${lostAfterMs} ms`)));
    request.on('error', (error) => settle(error.message));
  }
}
