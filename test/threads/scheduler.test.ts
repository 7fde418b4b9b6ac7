import t from 'tap';
import type { FakeHost } from './fake-host.js';
import { FakeService, outcomeSoFar, plainProfile, request } from './fake-service.js';

/** Starts a scheduler whose first threads have loaded the pack. */
async function started(service: FakeService, options: Parameters<FakeService['scheduler']>[0] = {}): Promise<ReturnType<FakeService['scheduler']>> {
  const made = service.scheduler(options);
  const booted = made.scheduler.boot(options.minThreads ?? 1);
  for (const thread of made.host.threads) thread.ready();
  await booted;
  return made;
}

const posted = (host: FakeHost): readonly (readonly string[])[] => host.threads.map(({ waiting, begun }) => [...begun, ...waiting].map(({ body }) => String(body)));

t.test('a call goes to the first idle thread at once, and one that finds none waits its turn', async (t) => {
  const { scheduler, host } = await started(new FakeService(2), { minThreads: 2 });
  for (const name of ['a', 'b', 'c', 'd']) scheduler.run(request(name));
  t.strictSame(posted(host), [['a'], ['b']]);
  const [first] = host.threads;
  first?.begin();
  host.thread(1).begin();
  first?.finish();
  t.strictSame(posted(host)[0]?.[0], 'c');
});

t.test('while a call waits and no thread moves, a thread is added up to the maximum', async (t) => {
  const service = new FakeService(3);
  const { scheduler, host } = await started(service);
  for (const name of ['a', 'b', 'c', 'd']) scheduler.run(request(name));
  host.thread(0).begin();
  service.clock.advance(20);
  t.equal(host.threads.length, 2);
  host.thread(1).ready();
  t.strictSame(posted(host), [['a'], ['b']]);
  service.clock.advance(5_000);
  for (const thread of host.threads) if (thread.state === 'starting') thread.ready();
  service.clock.advance(5_000);
  t.equal(host.threads.length, 3);
});

t.test('a saturated machine is given a thread late: one more could get no more done', async (t) => {
  const service = new FakeService(3);
  const { scheduler, host } = await started(service, { isSaturated: () => true });
  scheduler.run(request('a'));
  host.thread(0).begin();
  for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']) scheduler.run(request(name));
  for (let step = 0; step < 8; step++) {
    service.clock.advance(50);
    host.thread(0).finish();
    host.thread(0).begin();
  }
  t.equal(host.threads.length, 1);
});

t.test('a thread above the minimum ends once it has been idle for the idle timeout', async (t) => {
  const service = new FakeService(3);
  const { scheduler, host } = await started(service, { idleTimeout: 1_000 });
  scheduler.run(request('a'));
  host.thread(0).begin();
  scheduler.run(request('b'));
  service.clock.advance(20);
  host.thread(1).ready();
  for (const thread of host.threads) {
    if (thread.waiting.length > 0) thread.begin();
    thread.finish();
  }
  service.clock.advance(900);
  t.strictSame(host.threads.map(({ isTerminated }) => isTerminated), [false, false]);
  service.clock.advance(1_200);
  t.strictSame(host.threads.map(({ isTerminated }) => isTerminated).sort(), [false, true]);
});

t.test('a call that an idle-looking thread does not begin runs elsewhere, and the thread is not chosen again until it has responded', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service, { minThreads: 2 });
  scheduler.run(request('a'));
  t.strictSame(posted(host), [['a'], []]);
  service.clock.advance(20);
  t.strictSame(posted(host), [[], ['a']]);
  t.equal(host.thread(0).pings, 1);
  host.thread(1).begin();
  scheduler.run(request('b'));
  t.strictSame(posted(host), [[], ['a']], 'b waits rather than go to the silent thread');
  host.thread(0).pong();
  t.strictSame(posted(host), [['b'], ['a']]);
});

t.test('a call on the only thread, which is busy with what an earlier call left behind, has another thread started for it', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service);
  scheduler.run(request('a'));
  service.clock.advance(40);
  t.equal(host.threads.length, 2);
  host.thread(1).ready();
  t.strictSame(posted(host), [[], ['a']]);
});

t.test('a thread that runs no call and does not respond is ended and replaced', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service, { minThreads: 2 });
  scheduler.run(request('a'));
  service.clock.advance(20);
  host.thread(1).begin();
  service.clock.advance(1_000);
  t.equal(host.thread(0).isTerminated, true);
  t.match(service.of('thread-ended').map(({ reason }) => reason), [/did not respond/]);
  host.thread(0).end();
  t.equal(host.threads.filter(({ state }) => state === 'starting').length, 1);
});

t.test('a thread that responds late each time it is asked keeps its place', async (t) => {
  const service = new FakeService(1);
  const { scheduler, host } = await started(service);
  for (let round = 0; round < 20; round++) {
    scheduler.run(request('a'));
    service.clock.advance(150);
    host.thread(0).pong();
    while (host.thread(0).waiting.length > 0) {
      host.thread(0).begin();
      host.thread(0).finish();
    }
  }
  t.equal(host.thread(0).isTerminated, false);
});

t.test('on a machine that wakes its only thread late, a call goes round ever more rarely and runs', async (t) => {
  const service = new FakeService(1);
  const { scheduler, host } = await started(service);
  const call = scheduler.run(request('a'));
  let rounds = 0;
  for (; rounds < 20; rounds++) {
    // The thread always needs 100 ms to begin what it was given.
    service.clock.advance(100);
    if (host.thread(0).waiting.length > 0) break;
    host.thread(0).pong();
  }
  t.ok(rounds < 10, `it went round ${rounds} times`);
  host.thread(0).begin();
  host.thread(0).finish();
  t.match(await call.outcome, { kind: 'answer', outcome: 'ok' });
});

t.test('short calls are posted ahead to a thread that is awake, and taken back from behind one that turns out long', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service, { minThreads: 2 });
  for (const thread of host.threads) {
    scheduler.run(request('first'));
    thread.begin();
  }
  for (const thread of host.threads) thread.finish();
  const calls = ['a', 'b', 'c'].map((name) => scheduler.run(request(name)));
  t.strictSame(posted(host), [['a', 'b', 'c'], []]);
  host.thread(0).begin();
  service.clock.advance(20);
  t.strictSame(posted(host)[0], ['a']);
  t.ok(posted(host)[1]?.includes('b'));
  t.equal(calls[2]?.beganAt(), undefined);
});

t.test('a thread that dies loses the call that it runs, and gives back the one that it has not begun', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service, { callsPerWorker: 2, profile: { ...plainProfile, sandbox: 'none' } });
  const running = scheduler.run(request('a'));
  const waiting = scheduler.run(request(Buffer.alloc(100_000)));
  host.thread(0).begin();
  host.thread(0).end();
  t.match(await running.outcome, { kind: 'answer', outcome: 'handler-throw' });
  t.equal(await outcomeSoFar(waiting), 'pending');
  host.thread(1).ready();
  host.thread(1).begin();
  host.thread(1).finish();
  t.match(await waiting.outcome, { kind: 'answer', outcome: 'ok' });
});

t.test('threads that cannot start are tried one at a time, ever more rarely by attempt, while the others go on', async (t) => {
  const service = new FakeService(8);
  const { scheduler, host } = await started(service, { minThreads: 8 });
  for (const thread of [...host.threads].slice(0, 7)) thread.end();
  const fail = (): void => {
    for (const thread of host.threads) if (thread.state === 'starting') thread.end({ kind: 'not-started', reason: 'EAGAIN' });
  };
  fail();
  const retries: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const { retryInMs } = service.of('thread-failed').at(-1) ?? { retryInMs: NaN };
    retries.push(retryInMs);
    service.clock.advance(retryInMs);
    t.equal(host.threads.filter(({ state }) => state === 'starting').length, 1, 'one attempt at a time');
    fail();
  }
  t.strictSame(retries, [100, 200, 400, 800, 1_600]);
  t.equal(scheduler.health.kind, 'serving');
  const call = scheduler.run(request('a'));
  host.threads.find(({ state }) => state === 'ready')?.begin();
  host.threads.find(({ state }) => state === 'ready')?.finish();
  t.match(await call.outcome, { outcome: 'ok' });
  service.clock.advance(3_200);
  host.threads.find(({ state }) => state === 'starting')?.ready();
  t.equal(host.threads.filter(({ state }) => state === 'starting').length, 6, 'all of the others come back at once');
});

t.test('with no thread and none to be had, what waits is said not to have run', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service);
  host.thread(0).end();
  const call = scheduler.run(request('a'));
  host.threads.find(({ state }) => state === 'starting')?.end({ kind: 'not-started', reason: 'EAGAIN' });
  t.strictSame(await call.outcome, { kind: 'not-run' });
  t.match(scheduler.health, { kind: 'failing', problems: [/EAGAIN/] });
});

t.test('a boot that gets no thread tries again, and says what it has tried', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = service.scheduler({ minThreads: 2 });
  const booted = scheduler.boot(2);
  for (let attempt = 0; attempt < 3; attempt++) {
    for (const thread of host.threads) if (thread.state === 'starting') thread.end({ kind: 'not-started', reason: 'EAGAIN' });
    service.clock.advance(400);
  }
  t.match(await booted, [/EAGAIN \(tried 3 times/]);
});

t.test('a boot that gets some of its threads serves with them, and tries for the others', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = service.scheduler({ minThreads: 2 });
  const booted = scheduler.boot(2);
  host.thread(0).ready();
  host.thread(1).end({ kind: 'not-started', reason: 'EAGAIN' });
  t.strictSame(await booted, []);
  t.match(service.of('thread-failed'), [{ problems: [/EAGAIN/] }]);
  service.clock.advance(100);
  t.equal(host.threads.filter(({ state }) => state === 'starting').length, 1);
});

t.test('a thread that ends while it loads names the module and the reason', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = service.scheduler();
  const booted = scheduler.boot(1);
  host.thread(0).loading = 'Tool "a": module a.mjs';
  host.thread(0).end({ kind: 'died', cause: { name: 'WorkerExited', message: 'it ran out of descriptors' } });
  t.strictSame(await booted, ['Tool "a": module a.mjs ended its thread while it loaded: it ran out of descriptors']);
});

t.test('a thread that loads for too long is given up by name', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = service.scheduler({ bootTimeout: 500 });
  const booted = scheduler.boot(1);
  host.thread(0).loading = 'Tool "a": module a.mjs';
  service.clock.advance(500);
  t.equal(host.thread(0).isTerminated, true);
  host.thread(0).end();
  t.strictSame(await booted, ['Tool "a": module a.mjs did not finish loading within 500 ms']);
});

t.test('a handler has the grace to settle after its signal, and loses its thread then', async (t) => {
  const service = new FakeService(1);
  const { scheduler, host } = await started(service, { grace: 300 });
  const call = scheduler.run(request('a'));
  host.thread(0).begin();
  call.end('deadline-exceeded');
  t.match(await call.outcome, { outcome: 'deadline-exceeded' });
  t.strictSame(host.thread(0).cancelled, [{ sequence: 0, reason: 'deadline-exceeded' }]);
  service.clock.advance(299);
  t.equal(host.thread(0).isTerminated, false);
  service.clock.advance(1);
  t.equal(host.thread(0).isTerminated, true);
});

t.test('a call that ends before its thread begins it is not signalled and never runs', async (t) => {
  const service = new FakeService(1);
  const { scheduler, host } = await started(service);
  const call = scheduler.run(request('a'));
  call.end('cancelled');
  t.strictSame(host.thread(0).waiting, []);
  t.strictSame(host.thread(0).cancelled, []);
  service.clock.advance(5_000);
  t.equal(host.thread(0).isTerminated, false);
});

t.test('no call is said to have begun that its thread has not begun', async (t) => {
  const { scheduler, host } = await started(new FakeService(1));
  const call = scheduler.run(request('a'));
  t.equal(call.beganAt(), undefined);
  host.thread(0).begin();
  t.equal(call.beganAt(), 0);
});

t.test('schedulers share the maximum: one with waiting calls gets a thread from one that has more than its share', async (t) => {
  const service = new FakeService(2);
  const first = await started(service, { minThreads: 2 });
  const second = service.scheduler({ keepWarm: 'after-use' });
  const call = second.scheduler.run(request('a'));
  service.clock.advance(50);
  const given = first.host.threads.find(({ isTerminated }) => isTerminated);
  t.ok(given);
  given?.end();
  service.clock.advance(50);
  second.host.thread(0).ready();
  second.host.thread(0).begin();
  second.host.thread(0).finish();
  t.match(await call.outcome, { outcome: 'ok' });
});

t.test('a retired scheduler finishes what it has, ends its threads, and starts none', async (t) => {
  const service = new FakeService(3);
  const { scheduler, host } = await started(service, { minThreads: 2 });
  const call = scheduler.run(request('a'));
  host.thread(0).begin();
  scheduler.retire();
  t.strictSame(host.threads.map(({ isTerminated }) => isTerminated), [false, true]);
  host.thread(0).finish();
  t.match(await call.outcome, { outcome: 'ok' });
  t.equal(host.thread(0).isTerminated, true);
  service.clock.advance(120_000);
  t.equal(host.threads.length, 2);
});

t.test('a closed scheduler leaves no timer, and says of a call that it has not run', async (t) => {
  const service = new FakeService(2);
  const { scheduler, host } = await started(service, { profile: { ...plainProfile, cpuMs: 10 } });
  scheduler.run(request('a'));
  host.thread(0).begin();
  scheduler.endCalls();
  scheduler.close();
  t.equal(service.clock.pending, 0);
  t.strictSame(await scheduler.run(request('b')).outcome, { kind: 'not-run' });
});

t.test('a call that takes more processor time than its limit ends, and its thread with it', async (t) => {
  const service = new FakeService(1);
  const { scheduler, host } = await started(service, { profile: { ...plainProfile, cpuMs: 10 } });
  const call = scheduler.run(request('a'));
  host.thread(0).begin();
  host.thread(0).cpuUsedMs = 11;
  service.clock.advance(20);
  t.match(await call.outcome, { outcome: 'handler-throw' });
  t.equal(host.thread(0).isTerminated, true);
});

t.test('after its last call a thread is replaced, and a call it did not begin does not count', async (t) => {
  const service = new FakeService(3);
  const { scheduler, host } = await started(service, { minThreads: 1, maxCallsPerWorker: 1 });
  scheduler.run(request('a'));
  t.equal(host.threads.length, 2, 'the next thread starts at once');
  service.clock.advance(20);
  host.thread(1).ready();
  t.strictSame(posted(host).slice(0, 2), [[], ['a']]);
  t.equal(host.thread(0).isTerminated, false);
});
