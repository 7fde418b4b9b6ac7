import { monitorEventLoopDelay } from 'node:perf_hooks';
import { plan } from '../plan.js';
import { Callers } from './callers.js';
import { Prober } from './prober.js';
import type { LoadJob, LoadMessage, LoadReport } from './process.js';

const tell = (message: LoadMessage): void => {
  process.send?.(message);
};

/** Runs the plan against the service, and reports what the callers saw. */
async function load({ address, options }: LoadJob): Promise<LoadReport> {
  const callers = new Callers(address, options.connections, options.seed);
  const prober = new Prober(address.port, (detail) => callers.problems.add({ invariant: 'health', detail }));
  const resolutionMs = 10;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const progress = setInterval(() => {
    const { account, inFlight, problems } = callers;
    const count = problems.data().reduce((sum, each) => sum + each.count, 0);
    tell({ kind: 'progress', progress: { seconds: (performance.now() - startedAt) / 1000, calls: account.length, inFlight, problems: count } });
  }, 1000);

  await arrivals(plan(options), (call, dueAt) => callers.call(call, dueAt));
  const { user, system } = process.cpuUsage(cpu);
  const callerCores = (user + system) / 1000 / (performance.now() - startedAt);
  await callers.idle();
  await prober.stop();
  clearInterval(progress);
  delay.disable();
  const held = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    account: callers.account.data(),
    problems: callers.problems.data(),
    lost: callers.lost,
    health: prober.times,
    echo: callers.echo.times(),
    lateness: callers.lateness.times(),
    callerDelay: { count: delay.count, p50: held(delay.percentile(50)), p90: held(delay.percentile(90)), p99: held(delay.percentile(99)), max: held(delay.max) },
    callerCores,
  };
}

/** Something that is due at a time. */
interface Due {
  readonly atMs: number;
}

/** Starts everything when it is due, however long what came before takes; resolves when the last has been started. */
function arrivals<T extends Due>(plan: Iterator<T>, start: (item: T, dueAt: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let next = plan.next();
    const turn = (): void => {
      for (; !next.done; next = plan.next()) {
        const dueAt = startedAt + next.value.atMs;
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) return void setTimeout(turn, waitMs);
        start(next.value, dueAt);
      }
      resolve();
    };
    turn();
  });
}

process.once('message', (job: LoadJob) => {
  load(job)
    .then((report) => tell({ kind: 'report', report }), (error: unknown) => tell({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
    .finally(() => process.disconnect());
});
