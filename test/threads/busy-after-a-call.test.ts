import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { outputOf } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { type RunningService, serve, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { call, faultyPack } from './faulty-pack.js';

// Returns, and keeps its thread busy from then on until the file `release` exists, or for ten seconds.
const leaveBusy = `
  import { existsSync, writeFileSync } from 'node:fs';
  export const handler = ({ busy, release, over }) => {
    setTimeout(() => {
      writeFileSync(busy, '');
      const end = performance.now() + 10_000;
      while (!existsSync(release) && performance.now() < end);
      writeFileSync(over, '');
    });
    return {};
  };
`;
const pack = faultyPack(t, { 'leave-busy.mjs': leaveBusy });

/** A thread that looks idle, and is busy with what a call left behind. */
interface BusyThread {
  readonly isOver: () => boolean;
  readonly release: () => Promise<unknown>;
}

async function makeBusy(t: Test, service: RunningService): Promise<BusyThread> {
  const folder = temporaryFolder(t);
  const [busy, release, over] = [join(folder, 'busy'), join(folder, 'release'), join(folder, 'over')];
  outputOf(await call(service, 'leave-busy', { busy, release, over }));
  await until(() => existsSync(busy), 'the thread to be busy');
  return {
    isOver: () => existsSync(over),
    release: () => {
      writeFileSync(release, '');
      return until(() => existsSync(over), 'the thread to be free');
    },
  };
}

const cases = [
  { title: 'another thread idles', args: ['--min-threads', '2'], pad: 0 },
  { title: 'another can be started', args: ['--min-threads', '1'], pad: 0 },
  { title: 'the calls are large', args: ['--min-threads', '1'], pad: 65_536 },
  { title: 'threads are replaced after so many calls', args: ['--min-threads', '1', '--max-calls-per-worker', '1000'], pad: 0 },
  { title: 'calls share threads', args: ['--min-threads', '1', '--calls-per-worker', '4'], pad: 0 },
];

for (const { title, args, pad } of cases) {
  t.test(`no call waits for what an earlier one left behind on its thread: ${title}`, async (t) => {
    const service = await serve(t, { pack, args: [...args, '--max-threads', '2'] });
    const thread = await makeBusy(t, service);
    const used = new Set<unknown>();
    for (let round = 0; round < 10; round++) used.add(outputOf(await call(service, 'thread', { pad: 'x'.repeat(pad) }))['threadId']);
    t.notOk(thread.isOver(), 'all have run while the thread was busy');
    t.equal(used.size, 1, 'all on the other thread');
    t.equal(service.record('thread-ended'), undefined, 'the busy one was not ended');

    await thread.release();
    const beside = [hold(t, service), hold(t, service)];
    await Promise.all(beside.map((held) => held.running()));
    for (const held of beside) held.release();
    for (const held of beside) t.strictSame(outputOf(await held.answer), { released: true });
  });
}
