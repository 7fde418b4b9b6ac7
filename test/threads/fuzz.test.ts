import t from 'tap';
import { mulberry32 } from '../../bench/soak/random.js';
import type { PendingCall } from '../../src/threads/schedule/call.js';
import type { Dispatcher } from '../../src/threads/schedule/dispatcher.js';
import type { SchedulerOptions } from '../../src/threads/schedule/scheduler.js';
import type { FakeHost, FakeThread } from './fake-host.js';
import { FakeService, plainProfile, request } from './fake-service.js';

const steps = 1_000_000;
const stepsPerRound = 20_000;
const mostInFlight = 40;

interface Call {
  readonly pending: PendingCall;
  begun: number;
  finished: boolean;
  outcome: string | undefined;
}

interface Generation {
  readonly dispatcher: Dispatcher;
  readonly hosts: readonly FakeHost[];
  isBooted: boolean;
}

/** The kinds of profiles that a pack can have, in a mix. */
const profiles: readonly [Partial<SchedulerOptions>, ...Partial<SchedulerOptions>[]] = [
  { minThreads: 2 },
  { minThreads: 1, keepWarm: 'after-use', callsPerWorker: 3, profile: { ...plainProfile, sandbox: 'none' } },
  { minThreads: 1, keepWarm: 'after-use', maxCallsPerWorker: 1, profile: { ...plainProfile, sandbox: 'strict' } },
  { minThreads: 1, keepWarm: 'after-use', profile: { ...plainProfile, memMB: 64, cpuMs: 50 } },
];

/** One service from its start to its end, with everything that can go wrong going wrong. */
class Round {
  readonly service = new FakeService(5);
  readonly calls: Call[] = [];
  readonly faults: string[] = [];
  readonly #random: () => number;
  readonly #generations: Generation[] = [];
  #inFlight: Call[] = [];
  #current: Generation;
  #isReloading = false;

  constructor(seed: number) {
    this.#random = mulberry32(seed);
    this.#current = this.#startGeneration(() => {});
  }

  async play(count: number): Promise<void> {
    for (let step = 0; step < count; step++) {
      this.#step();
      // Outcomes, boots and ends are promises: they settle between steps, as they do between turns.
      if (step % 4 === 0) await Promise.resolve();
    }
    await this.#settle();
    await this.#finish();
  }

  #step(): void {
    const choice = this.#random();
    if (choice < 0.25) this.#call();
    else if (choice < 0.3) this.#endCall();
    else if (choice < 0.9) this.#moveThread();
    else if (choice < 0.998) this.service.clock.advance(Math.floor(this.#random() * 40));
    else if (choice < 0.9995) this.service.clock.advance(Math.floor(this.#random() * 5_000));
    else this.#reload();
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  #call(): void {
    if (this.#inFlight.length >= mostInFlight) return;
    const id = this.calls.length;
    const body = this.#random() < 0.2 ? Buffer.from(String(id)) : String(id);
    const pending = this.#current.dispatcher.run(request(body, String(Math.floor(this.#random() * profiles.length))));
    const call: Call = { pending, begun: 0, finished: false, outcome: undefined };
    this.calls.push(call);
    this.#inFlight.push(call);
    pending.outcome.then(
      (outcome) => {
        if (call.outcome !== undefined) this.faults.push(`call ${id} settled twice`);
        call.outcome = outcome.kind === 'answer' ? outcome.outcome : 'not-run';
        if (call.outcome === 'not-run' && call.begun > 0) this.faults.push(`call ${id} began and was said not to have run`);
        if (call.outcome === 'ok' && !call.finished) this.faults.push(`call ${id} was said to be well and never finished`);
        this.#inFlight = this.#inFlight.filter((other) => other !== call);
      },
      () => this.faults.push(`call ${id} was rejected`),
    );
  }

  #endCall(): void {
    this.#pick(this.#inFlight)?.pending.end(this.#random() < 0.5 ? 'deadline-exceeded' : 'cancelled');
  }

  #moveThread(): void {
    const threads = this.#generations.flatMap(({ hosts }) => hosts.flatMap((host) => host.threads));
    const thread = this.#pick(threads);
    if (thread === undefined) return;
    if (thread.state === 'ended') thread.go();
    else if (thread.isTerminated && this.#random() < 0.5) thread.end();
    else if (thread.state === 'starting') this.#moveStarting(thread);
    else this.#moveServing(thread);
  }

  #moveStarting(thread: FakeThread): void {
    const choice = this.#random();
    if (choice < 0.6) thread.ready();
    else if (choice < 0.61) thread.failToLoad('a module that is missing for a while');
    else if (choice < 0.62) thread.end({ kind: 'not-started', reason: 'EAGAIN' });
    else if (choice < 0.625) thread.end();
  }

  #moveServing(thread: FakeThread): void {
    const choice = this.#random();
    if (choice < 0.45) {
      if (thread.waiting.length > 0) this.#begin(thread);
    } else if (choice < 0.93) this.#finishOne(thread);
    else if (choice < 0.96) thread.pong();
    else if (choice < 0.975) this.#seeCancel(thread);
    else if (choice < 0.985) thread.fault();
    else if (choice < 0.99) thread.cpuUsedMs += 100;
    else thread.end();
  }

  #begin(thread: FakeThread): void {
    const { body } = thread.begin();
    const call = this.calls[Number(typeof body === 'string' ? body : Buffer.from(body).toString())];
    if (call === undefined) this.faults.push(`a thread was given a call that nobody made: ${String(body)}`);
    else if (++call.begun > 1) this.faults.push(`call ${String(body)} began twice`);
  }

  #finishOne(thread: FakeThread): void {
    const posted = this.#pick(thread.begun);
    if (posted === undefined) return;
    const { body } = posted;
    const call = this.calls[Number(typeof body === 'string' ? body : Buffer.from(body).toString())];
    if (call !== undefined) call.finished = true;
    thread.finish(posted, this.#random() < 0.03 ? 'a changed global' : undefined);
  }

  #seeCancel(thread: FakeThread): void {
    const cancel = thread.cancelled.shift();
    if (cancel !== undefined) thread.seeCancel(cancel.sequence);
  }

  #startGeneration(onBooted: (problems: readonly string[]) => void): Generation {
    const { dispatcher, hosts } = this.service.generation(profiles);
    const generation = { dispatcher, hosts, isBooted: false };
    this.#generations.push(generation);
    dispatcher.boot().then(
      (problems) => {
        generation.isBooted = true;
        onBooted(problems);
      },
      () => this.faults.push('a boot was rejected'),
    );
    return generation;
  }

  #reload(): void {
    if (this.#isReloading) return;
    this.#isReloading = true;
    const next = this.#startGeneration((problems) => {
      this.#isReloading = false;
      if (problems.length > 0) return this.#close(next.dispatcher.close());
      const before = this.#current;
      this.#current = next;
      next.dispatcher.takeOver();
      this.#close(before.dispatcher.retire());
    });
  }

  #close(closing: Promise<unknown>): void {
    closing.catch(() => this.faults.push('a close was rejected'));
  }

  /** From now on every thread does what it should: each call that is left must come to its end by itself. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < 2_000 && (this.#inFlight.length > 0 || turn < 10); turn++) {
      for (const thread of this.#generations.flatMap(({ hosts }) => hosts.flatMap(({ threads }) => [...threads]))) {
        if (thread.state === 'ended') thread.go();
        else if (thread.isTerminated) thread.end();
        else if (thread.state === 'starting') thread.ready();
        else this.#serveWell(thread);
      }
      this.service.clock.advance(100);
      await Promise.resolve();
      await Promise.resolve();
    }
    const waiting = this.#inFlight.map((call) => this.calls.indexOf(call));
    if (waiting.length > 0) this.faults.push(`calls never came to an end: ${waiting.join(', ')}`);
  }

  #serveWell(thread: FakeThread): void {
    thread.pong();
    while (thread.waiting.length > 0 || thread.begun.length > 0) {
      if (thread.begun.length > 0) this.#finishOne(thread);
      else this.#begin(thread);
    }
  }

  /** Closes all of it, with threads that end when they are told to; what is left then has leaked. */
  async #finish(): Promise<void> {
    let open = this.#generations.length;
    for (const { dispatcher } of this.#generations) this.#close(dispatcher.close().then(() => open--));
    for (let turn = 0; open > 0 && turn < 10_000; turn++) {
      for (const { hosts } of this.#generations) {
        for (const thread of hosts.flatMap(({ threads }) => [...threads])) {
          if (thread.state === 'ended') thread.go();
          else if (thread.isTerminated) thread.end();
        }
      }
      this.service.clock.advance(20);
      await Promise.resolve();
      await Promise.resolve();
    }
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    const threads = this.#generations.flatMap(({ hosts }) => hosts.flatMap((host) => host.threads));
    if (open > 0) this.faults.push(`${open} generations never closed`);
    if (threads.length > 0) this.faults.push(`${threads.length} threads are left: ${threads.map(({ state, isTerminated }) => `${state} ${isTerminated}`).join(', ')}`);
    if (this.service.clock.pending > 0) this.faults.push(`${this.service.clock.pending} timers are left`);
    if (this.service.budget.isInUse) this.faults.push('the budget still counts threads');
    if (this.service.leaving.threads.length > 0) this.faults.push('threads that are gone are still watched');
    const lost = this.calls.flatMap(({ outcome }, id) => (outcome === undefined ? [id] : []));
    if (lost.length > 0) this.faults.push(`calls were lost: ${lost.join(', ')}`);
  }
}

t.test('whatever becomes of threads, no call is lost, none runs twice, and nothing is left at the end', async (t) => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= steps / stepsPerRound; seed++) {
    const round = new Round(seed);
    await round.play(stepsPerRound);
    t.strictSame(round.faults.slice(0, 10), [], `seed ${seed}`);
    for (const { outcome } of round.calls) outcomes.set(outcome ?? 'lost', (outcomes.get(outcome ?? 'lost') ?? 0) + 1);
  }
  // A fuzz that reaches one outcome alone would say nothing.
  for (const outcome of ['ok', 'deadline-exceeded', 'cancelled', 'handler-throw', 'not-run']) t.ok((outcomes.get(outcome) ?? 0) > 100, `${outcome}: ${outcomes.get(outcome)}`);
});
