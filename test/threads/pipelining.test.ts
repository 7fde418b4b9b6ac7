import http from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { linesOf } from '../calls-in-flight.js';
import { type HttpAnswer, type RunningService, serve, toolCall } from '../running-service.js';
import { indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

const modules = {
  'echo.mjs': 'export const handler = async (input) => input;\n',
  'spin.mjs': 'export const handler = ({ ms }) => { const end = performance.now() + ms; while (performance.now() < end); return {}; };\n',
  'exit.mjs': 'export const handler = () => process.exit(3);\n',
  'patch.mjs': 'export const handler = () => { Array.prototype.left = 1; return {}; };\n',
  'put-off.mjs': 'let open = 0;\nexport const handler = () => { const found = open++; process.nextTick(() => Promise.resolve().then(() => open--)); return { found }; };\n',
  'write.mjs': `import { appendFileSync } from 'node:fs';\nexport const handler = ({ log }) => { appendFileSync(log, 'ran\\n'); return {}; };\n`,
};
const pack = (t: Test): string => temporaryPack(t, indexOf({ tools: Object.keys(modules).map((path) => toolEntry(path.replace('.mjs', ''), path)) }), modules);

/** Sends calls over kept connections, so that they arrive together. */
async function serveBursts(t: Test, ...args: string[]): Promise<{ service: RunningService; call: (id: string, input?: object, timeoutMs?: number) => Promise<HttpAnswer> }> {
  const service = await serve(t, { pack: pack(t), args: ['--max-concurrency', '100', ...args] });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  t.teardown(() => agent.destroy());
  const call = (id: string, input: object = {}, timeoutMs = 60_000): Promise<HttpAnswer> =>
    service.invoke(toolCall(id, input), { 'kindgi-timeout-ms': String(timeoutMs) }, { agent });
  // Calls are posted ahead once they are known to be short.
  for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 12 }, () => call('echo')));
  return { service, call };
}

t.test('short calls that came behind a long one on its thread are answered by other threads, long before it is over', async (t) => {
  const { call } = await serveBursts(t, '--min-threads', '2', '--max-threads', '2');
  for (let round = 0; round < 5; round++) {
    let spinIsOver = false;
    const spin = call('spin', { ms: 1_500 }).then((answer) => {
      spinIsOver = true;
      return answer;
    });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => call('echo', { n })));
    t.strictSame(answers.map(outputOf), Array.from({ length: 12 }, (_, n) => ({ n })));
    t.notOk(spinIsOver);
    outputOf(await spin);
  }
});

t.test('with one thread, what waits behind a long call runs when it is over', async (t) => {
  const { call } = await serveBursts(t, '--min-threads', '1', '--max-threads', '1');
  for (let round = 0; round < 5; round++) {
    const spin = call('spin', { ms: 200 });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => call('echo', { n })));
    t.strictSame(answers.map(outputOf), Array.from({ length: 12 }, (_, n) => ({ n })));
    outputOf(await spin);
  }
});

t.test('what a call puts off until after its answer is over before the next call begins', async (t) => {
  const { call } = await serveBursts(t, '--min-threads', '1', '--max-threads', '1');
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => call('put-off')));
    t.strictSame(answers.map(outputOf), Array.from({ length: 12 }, () => ({ found: 0 })));
  }
});

t.test('a call that loses its thread takes none of those that wait behind it along', async (t) => {
  const { call } = await serveBursts(t, '--min-threads', '2', '--max-threads', '2');
  for (const hostile of ['exit', 'patch']) {
    for (let round = 0; round < 10; round++) {
      const bad = call(hostile);
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => call('echo', { n })));
      t.strictSame(answers.map(outputOf), Array.from({ length: 12 }, (_, n) => ({ n })));
      if (hostile === 'exit') failsWith(t, await bad, 'handler-throw');
      else outputOf(await bad);
    }
  }
});

t.test('a call whose deadline passes behind a long one never runs', async (t) => {
  const { call } = await serveBursts(t, '--min-threads', '1', '--max-threads', '1');
  let late = 0;
  for (let round = 0; round < 5; round++) {
    const log = join(temporaryFolder(t), 'log');
    const spin = call('spin', { ms: 400 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('write', { log }, 40)));
    outputOf(await spin);
    outputOf(await call('echo'));
    const ended = answers.filter(({ body }) => body.kind === 'error');
    for (const answer of ended) failsWith(t, answer, 'deadline-exceeded');
    t.equal(linesOf(log).length, answers.length - ended.length, 'no other call ran');
    late += ended.length;
  }
  t.ok(late > 0);
});
