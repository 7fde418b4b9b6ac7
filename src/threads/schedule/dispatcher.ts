import type { CallTags } from '../../protocol/call-tags.js';
import type { CallRequest, PendingCall } from './call.js';
import { type Clock, OwnedClock } from './clock.js';
import type { Health } from './growth.js';
import { relieveMemory } from './memory-pressure.js';
import type { Scheduler, Shared } from './scheduler.js';


/** A call in, an outcome out: all that the rest of the service knows of threads. */
export interface Dispatch {
  readonly health: Health;
  run(request: CallRequest): PendingCall;
  /** No call comes any more: lets those it has finish, its threads end as they do, and closes. */
  retire(): Promise<void>;
  /** Calls come to it from now on: its threads are no more its own than those of others. */
  takeOver(): void;
  /** Ends every call as cancelled, every thread once its handlers have settled or had their grace; returns how many threads would not end. */
  close(): Promise<{ readonly stuckThreads: number }>;
}

/** Which dispatch takes the calls that come now: another one after each reload. */
export interface CurrentDispatch {
  readonly current: Dispatch;
}

/** The tools and checks of one profile, and the scheduler that runs them. */
export interface ProfileScheduler {
  readonly scheduler: Scheduler;
  readonly tools: readonly { readonly id: string; readonly version: string | undefined }[];
  readonly checks: readonly { readonly id: string }[];
}

/** Times in milliseconds. */
export interface DispatcherOptions {
  readonly minThreads: number;
  readonly grace: number;
  readonly maxStuckThreads: number;
  /** Resident memory, in MiB, above which threads are replaced one by one; Infinity for never. */
  readonly maxRss: number;
  readonly rssMb: () => number;
  /** Called once, when every thread has been ended. */
  readonly onClosed: () => void;
}

/** How long `close` waits for threads that native code keeps from ending. */
const closeWaitMs = 2_000;

/** Sends each call to the scheduler of its profile. */
export class Dispatcher implements Dispatch {
  readonly #options: DispatcherOptions;
  /** That of the most entries first; it also takes what is for no entry at all. */
  readonly #schedulers: readonly [Scheduler, ...Scheduler[]];
  readonly #shared: Shared;
  /** Until it takes over, a generation beside another keeps the threads that it was warmed up with. */
  readonly #turn: { isUpcoming: boolean };
  readonly #clock: OwnedClock;
  readonly #byTool = new Map<string, { readonly version: string | undefined; readonly scheduler: Scheduler }[]>();
  readonly #byCheck = new Map<string, Scheduler>();
  #closed: Promise<{ readonly stuckThreads: number }> | undefined;

  /** `schedulers` are made with `shared`, of which `turn` is this dispatcher's to change. */
  constructor(profiles: readonly [ProfileScheduler, ...ProfileScheduler[]], options: DispatcherOptions, shared: Shared & { readonly turn: { isUpcoming: boolean } }) {
    this.#options = options;
    this.#shared = shared;
    this.#turn = shared.turn;
    this.#clock = new OwnedClock(shared.clock);
    const [first, ...others] = profiles;
    this.#schedulers = [first.scheduler, ...others.map(({ scheduler }) => scheduler)];
    for (const { scheduler, tools, checks } of profiles) {
      for (const { id, version } of tools) this.#byTool.set(id, [...(this.#byTool.get(id) ?? []), { version, scheduler }]);
      for (const { id } of checks) this.#byCheck.set(id, scheduler);
    }
    relieveMemory(options.maxRss, options.rssMb, this.#schedulers, this.#clock, shared.emit);
  }

  get health(): Health {
    const { stuck } = this.#shared.leaving;
    if (stuck > this.#options.maxStuckThreads) return { kind: 'failing', problems: [`${stuck} threads are held by native code`] };
    return this.#schedulers[0].health;
  }

  /** Has every profile loaded once; returns every problem found. */
  async boot(): Promise<readonly string[]> {
    const [first, ...others] = this.#schedulers;
    const problems = await Promise.all([first.boot(this.#options.minThreads), ...others.map((scheduler) => scheduler.boot(1))]);
    // The threads were needed to know that the modules load; beyond the maximum they may not stay.
    for (const scheduler of others) if (this.#shared.budget.isExceeded()) scheduler.releaseThread();
    return [...new Set(problems.flat())];
  }

  /** Nobody wants it any more: ends what has started. */
  giveUp(): void {
    for (const scheduler of this.#schedulers) scheduler.close();
  }

  takeOver(): void {
    this.#turn.isUpcoming = false;
  }

  run(request: CallRequest): PendingCall {
    return this.#schedulerOf(request.tags, request.version).run(request);
  }

  async retire(): Promise<void> {
    this.#clock.close();
    for (const scheduler of this.#schedulers) scheduler.retire();
    await Promise.all(this.#schedulers.map((scheduler) => scheduler.idle()));
    await this.close();
  }

  close(): Promise<{ readonly stuckThreads: number }> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<{ readonly stuckThreads: number }> {
    const { clock, budget, leaving } = this.#shared;
    this.#clock.close();
    for (const scheduler of this.#schedulers) scheduler.endCalls();
    await within(clock, this.#options.grace, Promise.all(this.#schedulers.map((scheduler) => scheduler.idle())));
    const threads = new Set([...this.#schedulers.flatMap((scheduler) => scheduler.close()), ...leaving.threads]);
    let stuckThreads = threads.size;
    const allGone = Promise.all([...threads].map((thread) => thread.gone.then(() => stuckThreads--)));
    this.#options.onClosed();
    await within(clock, closeWaitMs, allGone);
    for (const scheduler of this.#schedulers) budget.leave(scheduler);
    return { stuckThreads };
  }

  #schedulerOf({ toolId, checkId }: CallTags, version: string | undefined): Scheduler {
    if (checkId !== undefined) return this.#byCheck.get(checkId) ?? this.#schedulers[0];
    const versions = toolId === undefined ? undefined : this.#byTool.get(toolId);
    return (versions?.find((tool) => tool.version === version) ?? versions?.[0])?.scheduler ?? this.#schedulers[0];
  }
}

/** Resolves with the work, or when its time is over. */
function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, resolve);
    work.then(() => {
      timer.cancel();
      resolve();
    }, reject);
  });
}
