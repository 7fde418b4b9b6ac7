import { EventStream } from '../../src/events/event-stream.js';
import type { ServiceEvent } from '../../src/events/event.js';
import type { Profile } from '../../src/isolation/profile.js';
import { ThreadBudget } from '../../src/threads/schedule/budget.js';
import type { CallRequest, Outcome } from '../../src/threads/schedule/call.js';
import { Dispatcher } from '../../src/threads/schedule/dispatcher.js';
import { LeavingThreads } from '../../src/threads/schedule/leaving-threads.js';
import { Scheduler, type SchedulerOptions, type Shared } from '../../src/threads/schedule/scheduler.js';
import { FakeClock } from './fake-clock.js';
import { FakeHost } from './fake-host.js';

export const plainProfile: Profile = { sandbox: 'context-isolated', network: { kind: 'unrestricted' } };

const defaults: SchedulerOptions = {
  profile: plainProfile,
  artifactVersion: '1',
  minThreads: 1,
  keepWarm: 'always',
  callsPerWorker: 1,
  maxCallsPerWorker: Infinity,
  idleTimeout: 60_000,
  bootTimeout: 30_000,
  grace: 1_000,
  processors: 2,
  isSaturated: () => false,
};

/** The scheduler and what it shares, on a fake clock and fake hosts: no process, no thread, no time. */
export class FakeService {
  readonly clock = new FakeClock();
  readonly events: ServiceEvent[] = [];
  readonly budget: ThreadBudget;
  readonly leaving: LeavingThreads;
  readonly #stream = new EventStream();

  constructor(maxThreads: number) {
    this.budget = new ThreadBudget(maxThreads);
    this.leaving = new LeavingThreads(this.clock, () => {});
    this.#stream.observe((event) => void this.events.push(event));
  }

  get shared(): Shared & { readonly turn: { isUpcoming: boolean } } {
    return { clock: this.clock, emit: this.#stream.emit, budget: this.budget, leaving: this.leaving, turn: { isUpcoming: this.budget.isInUse } };
  }

  /** A scheduler with a host of its own. */
  scheduler(options: Partial<SchedulerOptions> = {}): { readonly scheduler: Scheduler; readonly host: FakeHost } {
    const host = new FakeHost();
    return { scheduler: new Scheduler(host, { ...defaults, ...options }, this.shared), host };
  }

  /** A generation of a pack: one scheduler for each of the given options, called as tool `0`, `1` and so on. */
  generation(options: readonly [Partial<SchedulerOptions>, ...Partial<SchedulerOptions>[]]): { readonly dispatcher: Dispatcher; readonly hosts: readonly FakeHost[] } {
    const { shared } = this;
    const hosts = options.map(() => new FakeHost());
    const profileOf = (one: Partial<SchedulerOptions>, at: number): ConstructorParameters<typeof Dispatcher>[0][0] => ({
      scheduler: new Scheduler(hosts[at] ?? new FakeHost(), { ...defaults, ...one }, shared),
      tools: [{ id: String(at), version: undefined }],
      checks: [],
    });
    const [first, ...others] = options;
    const profiles = [profileOf(first, 0), ...others.map((one, at) => profileOf(one, at + 1))] as const;
    const { minThreads, grace } = { ...defaults, ...first };
    const dispatcher = new Dispatcher(profiles, { minThreads, grace, maxStuckThreads: 4, maxRss: Infinity, rssMb: () => 0, onClosed: () => {} }, shared);
    return { dispatcher, hosts };
  }

  of<Kind extends ServiceEvent['kind']>(kind: Kind): Extract<ServiceEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<ServiceEvent, { kind: Kind }> => event.kind === kind);
  }
}

/** A call of a tool; its body names it. */
export function request(body: CallRequest['body'] = 'call', toolId = '0'): CallRequest {
  return { body, tags: { toolId, traceId: '1'.repeat(32), spanId: '2'.repeat(16) }, version: undefined };
}

/** What a call has come to so far. */
export async function outcomeSoFar(call: { readonly outcome: Promise<Outcome> }): Promise<Outcome | 'pending'> {
  return Promise.race([call.outcome, new Promise<'pending'>((resolve) => setImmediate(resolve, 'pending'))]);
}
