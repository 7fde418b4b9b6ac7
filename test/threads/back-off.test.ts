import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outputOf } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { failure } from '../field-cases/calls.js';
import { serve, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { faultyPack } from './faulty-pack.js';
import { failuresOf } from './thread-failures.js';

const needed = join(temporaryFolder(t), 'needed');
const pack = faultyPack(t, {
  'needs.mjs': `
    import { readFileSync } from 'node:fs';
    readFileSync(${JSON.stringify(needed)});
    export const handler = () => ({});
  `,
  'exit-when-released.mjs': `
    import { appendFileSync, existsSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    export const handler = async ({ log, release }) => {
      appendFileSync(log, 'running\\n');
      while (!existsSync(release)) await sleep(5);
      process.exit(3);
    };
  `,
});

for (const threads of [1, 8]) {
  t.test(`no try to replace lost threads waits for longer than they have been missing: ${threads} of them`, async (t) => {
    writeFileSync(needed, '');
    const service = await serve(t, { pack, args: ['--min-threads', String(threads), '--max-threads', String(threads), '--max-concurrency', '8'] });
    const dying = Array.from({ length: threads }, () => hold(t, service, { extra: { tool: { id: 'exit-when-released' } } }));
    await Promise.all(dying.map((held) => held.running()));
    rmSync(needed);
    for (const held of dying) held.release();
    for (const held of dying) failure(await held.answer, 'handler-throw');

    const failed = await until(() => {
      const found = failuresOf(service);
      const [first] = found;
      return first && found.some(({ retryInMs }) => retryInMs >= 8 * first.retryInMs) ? { first, all: found } : undefined;
    }, 'a delay eight times the first');
    // With each delay twice the one before, all before it add up to it, less the first.
    const tooLong = failed.all.filter(({ at, retryInMs }) => retryInMs > at - failed.first.at + failed.first.retryInMs + 20);
    t.strictSame(tooLong, [], 'no delay is longer');

    writeFileSync(needed, '');
    const longest = Math.max(...failed.all.map(({ retryInMs }) => retryInMs));
    await until(async () => (await service.get('/readyz')).status === 200, 'the service to be ready again', 10 * longest);
    const beside = Array.from({ length: threads }, () => hold(t, service));
    await Promise.all(beside.map((held) => held.running()));
    for (const held of beside) held.release();
    for (const held of beside) t.strictSame(outputOf(await held.answer), { released: true });
  });
}
