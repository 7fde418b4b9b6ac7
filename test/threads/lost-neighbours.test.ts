import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { outputOf } from '../answers.js';
import { linesOf } from '../calls-in-flight.js';
import { failure, farDeadline } from '../field-cases/calls.js';
import { type HttpAnswer, type RunningService, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { call, faultyPack } from './faulty-pack.js';

const pack = faultyPack(t, {
  'append.mjs': `
    import { appendFileSync } from 'node:fs';
    export const handler = ({ log, n }) => {
      appendFileSync(log, n + '\\n');
      return { n };
    };
  `,
  // Returns, and ends its thread once the file \`release\` exists; until then nothing else runs there.
  'exit-later.mjs': `
    import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
    export const handler = ({ busy, release }) => {
      setTimeout(() => {
        writeFileSync(busy, '');
        while (!existsSync(release));
        process.exit(3);
      });
      return {};
    };
  `,
});
const pad = 'x'.repeat(65_536);

/** Calls `append` with large bodies, so many at once. */
function appendAll(t: Test, service: RunningService, log: string, count: number): { readonly answers: Promise<HttpAnswer>[]; readonly sent: Promise<unknown> } {
  const agent = new http.Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const sent: Promise<unknown>[] = [];
  const onRequest = (request: http.ClientRequest): void => void sent.push(once(request, 'finish'));
  const answers = Array.from({ length: count }, (_, n) => {
    const answer = service.invoke(toolCall('append', { log, n, pad }), farDeadline, { agent, onRequest });
    answer.catch(() => {});
    return answer;
  });
  return { answers, sent: Promise.all(sent) };
}

t.test('large calls that a thread had not begun when it ended run on another, once', async (t) => {
  const service = await serve(t, { pack, args: ['--min-threads', '1', '--max-threads', '1'] });
  const folder = temporaryFolder(t);
  const [busy, release, log] = [join(folder, 'busy'), join(folder, 'release'), join(folder, 'log')];
  outputOf(await call(service, 'exit-later', { busy, release }));
  await until(() => existsSync(busy), 'the thread to be busy');
  const { answers, sent } = appendAll(t, service, log, 8);
  await sent;
  // What was sent before a request has been read when that is answered.
  for (let round = 0; round < 3; round++) await service.get('/healthz');
  writeFileSync(release, '');
  t.strictSame((await Promise.all(answers)).map(outputOf), answers.map((_, n) => ({ n })));
  t.strictSame(linesOf(log).sort(), answers.map((_, n) => String(n)));
});

t.test('large calls among others that end their threads are all run, once', async (t) => {
  const service = await serve(t, { pack, args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '200'] });
  for (let round = 0; round < 10; round++) {
    const log = join(temporaryFolder(t), 'log');
    const ending = call(service, 'exit');
    const { answers } = appendAll(t, service, log, 10);
    t.strictSame((await Promise.all(answers)).map(outputOf), answers.map((_, n) => ({ n })));
    t.strictSame(linesOf(log).sort(), answers.map((_, n) => String(n)));
    failure(await ending, 'handler-throw');
  }
});

t.test('of large calls that share threads with others that end them none is turned away', async (t) => {
  const service = await serve(t, { pack, args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '200', '--calls-per-worker', '4'] });
  for (let round = 0; round < 10; round++) {
    const log = join(temporaryFolder(t), 'log');
    const ending = call(service, 'exit');
    const { answers } = appendAll(t, service, log, 10);
    // One that had begun is lost with its thread.
    for (const answer of await Promise.all(answers)) if (answer.body.kind !== 'result') failure(answer, 'handler-throw');
    t.equal(new Set(linesOf(log)).size, linesOf(log).length, 'none ran twice');
    failure(await ending, 'handler-throw');
  }
});
