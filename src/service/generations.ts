import type { Generation } from './generation.js';
import type { EventStream } from '../events/event-stream.js';
import type { ReloadedPack } from '../events/event.js';
import { BootError } from '../packs/boot-error.js';
import type { CurrentDispatch, Dispatch } from '../threads/schedule/dispatcher.js';

/**
 * What a reload came to. `reloaded`: new calls go to the new version. `failed`: it cannot be served, and the
 * old one goes on. `closed`: the service was closed meanwhile. Times are in milliseconds.
 */
export type Reload =
  | ({ readonly kind: 'reloaded' } & ReloadedPack)
  | { readonly kind: 'failed'; readonly problems: readonly string[]; readonly error: unknown }
  | { readonly kind: 'closed' };

/** Starts the pack as it is now, in place of a version of it; `signal` gives it up. */
export type StartNext = (replaces: string, signal: AbortSignal) => Promise<Generation>;

/**
 * The versions of a pack that have threads: the one that takes the calls which come now, and those before
 * it that still have calls. A new one takes over in one step once its threads are warm; each call stays with
 * the one that it was handed to, and a version that has none left ends.
 */
export class Generations implements CurrentDispatch {
  readonly #start: StartNext;
  readonly #events: EventStream;
  readonly #retiring = new Set<Dispatch>();
  #generation: Generation;
  /** Settled when no reload is under way or asked for. */
  #last: Promise<Reload | undefined> = Promise.resolve(undefined);
  /** Asked for, and not begun. */
  #asked: Promise<Reload> | undefined;
  #underWay: AbortController | undefined;
  #isClosed = false;

  constructor(first: Generation, start: StartNext, events: EventStream) {
    this.#generation = first;
    this.#start = start;
    this.#events = events;
    this.#reportNew(first, { dropped: [], warnings: [] });
  }

  /** The one that takes the calls which come now. */
  get generation(): Generation {
    return this.#generation;
  }

  get current(): Dispatch {
    return this.#generation.dispatch;
  }

  /** Reloads the pack. Reloads run one at a time; requests made during one share the next, which sees what they have changed. */
  reload(): Promise<Reload> {
    if (this.#asked !== undefined) return this.#asked;
    const reload = this.#last.then(() => {
      this.#asked = undefined;
      return this.#reload();
    });
    this.#asked = reload;
    this.#last = reload;
    return reload;
  }

  /** Gives up a reload that is under way, and closes every generation; returns how many threads would not end. */
  async close(): Promise<{ readonly stuckThreads: number }> {
    this.#isClosed = true;
    this.#underWay?.abort();
    const [left] = await Promise.all([this.current.close(), ...[...this.#retiring].map((dispatch) => dispatch.close()), this.#last]);
    return left;
  }

  async #reload(): Promise<Reload> {
    const startedAt = performance.now();
    const { signal } = (this.#underWay = new AbortController());
    try {
      if (this.#isClosed) return { kind: 'closed' };
      const next = await this.#start(this.#generation.index.artifactVersion, signal);
      if (signal.aborted) {
        await next.dispatch.close();
        return { kind: 'closed' };
      }
      this.#replace(next);
      const count = (of: 'tools' | 'checks'): number => next.profiles.reduce((total, profile) => total + profile[of], 0);
      const fields = { artifactVersion: next.index.artifactVersion, tools: count('tools'), checks: count('checks'), durationMs: Math.round(performance.now() - startedAt) };
      this.#events.emit({ kind: 'reloaded', ...fields });
      return { kind: 'reloaded', ...fields };
    } catch (error) {
      if (signal.aborted) return { kind: 'closed' };
      const problems = error instanceof BootError ? error.problems : [error instanceof Error ? error.message : String(error)];
      this.#events.emit({ kind: 'reload-failed', problems });
      return { kind: 'failed', problems, error };
    } finally {
      this.#underWay = undefined;
    }
  }

  #replace(next: Generation): void {
    const before = this.#generation;
    this.#generation = next;
    next.dispatch.takeOver();
    this.#reportNew(next, before);
    this.#retiring.add(before.dispatch);
    const retired = before.dispatch.retire().then(() => this.#retiring.delete(before.dispatch));
    this.#events.inBackground('retiring a version of the pack', retired);
  }

  /** What the one before it had as well is told already. */
  #reportNew({ dropped, warnings }: Generation, before: Pick<Generation, 'dropped' | 'warnings'>): void {
    if (dropped.length > 0 && dropped.join() !== before.dropped.join()) this.#events.emit({ kind: 'env-dropped', names: dropped });
    const told = new Set(before.warnings.map((warning) => JSON.stringify(warning)));
    for (const warning of warnings) if (!told.has(JSON.stringify(warning))) this.#events.emit({ kind: 'schema-warning', warning });
  }
}
