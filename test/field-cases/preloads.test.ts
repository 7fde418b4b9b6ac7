import { join } from 'node:path';
import t from 'tap';
import { outputOf } from '../answers.js';
import { linesOf } from '../calls-in-flight.js';
import { fixturePack, serve, toolCall } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { farDeadline } from './calls.js';

t.test('a preload in NODE_OPTIONS runs once in each thread, and calls add no threads to it (nodejs/node#37410)', async (t) => {
  const folder = fixturePack('runs-under-a-preload');
  for (const [option, file] of [['import', 'preload.mjs'], ['require', 'preload.cjs']] as const) {
    const log = join(temporaryFolder(t), option);
    const service = await serve(t, {
      pack: 'runs-under-a-preload',
      args: ['--min-threads', '2', '--max-threads', '2'],
      env: { NODE_OPTIONS: `--${option} ${join(folder, file)}`, PRELOAD_LOG: log },
    });
    outputOf(await service.invoke(toolCall('thread'), farDeadline));
    const loaded = linesOf(log);
    const threads = new Set<number>();
    for (const answer of await Promise.all(Array.from({ length: 30 }, () => service.invoke(toolCall('thread'), farDeadline)))) {
      threads.add((outputOf(answer) as { threadId: number }).threadId);
    }
    t.equal(new Set(loaded).size, loaded.length, `once a thread: ${loaded.join(', ')}`);
    for (const threadId of threads) t.ok(loaded.includes(`${option} ${threadId}`), 'in every thread that serves calls');
    t.strictSame(linesOf(log), loaded, 'and no other thread came with the calls');
    t.equal((await service.stop()).code, 0);
  }
});
