import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { Account } from '../../bench/soak/account.js';
import { lostAnswers, wrongRecords, wrongRuns } from '../../bench/soak/judge/account.js';
import { type Answer, judgeAnswer } from '../../bench/soak/judge/answer.js';
import { levelOf, risenMemory, tooManyThreads } from '../../bench/soak/judge/level.js';
import { invariants, Problems } from '../../bench/soak/judge/problem.js';
import { echo } from '../../bench/soak/kinds/healthy.js';
import { hostileKinds } from '../../bench/soak/kinds/index.js';
import { ok, toTool } from '../../bench/soak/kinds/kind.js';
import { nonceOf, plan, type PlannedCall, sequenceOf } from '../../bench/soak/plan.js';
import { artifactVersion } from '../../bench/soak/pack.js';
import { drawFrom } from '../../bench/soak/random.js';
import type { SoakResult } from '../../bench/soak/report.js';
import { StderrWatch } from '../../bench/soak/watch/stderr.js';

// A run of twenty seconds; filling the service and draining it may take a busy machine far longer.
const longest = 180_000;
t.setTimeout(longest);

const soak = fileURLToPath(new URL('../../bench/soak/main.js', import.meta.url));
const run = promisify(execFile);
const seed = 1;
const ownerOf = (nonce: unknown) => sequenceOf(seed, nonce);
const call = (sequence: number): PlannedCall => ({ sequence, nonce: nonceOf(seed, sequence), kind: 'echo', atMs: 0, ask: toTool('soak.echo', { text: 'hello' }, { ...ok, output: { text: 'hello' } }) });
const answer = (message: object, more: Partial<Answer> = {}): Answer => ({
  status: 200, headers: { 'kindgi-duration-ms': '1', 'kindgi-artifact-version': artifactVersion }, text: JSON.stringify({ v: 2, ...message }), ...more,
});
const problemsOf = (of: PlannedCall, given: Answer) => judgeAnswer(of, given, ownerOf).problems;
const planOptions = { seconds: 60, rate: 100, hostile: 0.05, seed, maxConcurrency: 16, without: [] };

// What is asserted is that everything holds, never how fast anything was.
t.test('a short soak holds every invariant and says so', { timeout: longest }, async (t) => {
  const output = t.testdir({});
  const { stdout } = await run(process.execPath, [soak, '--seconds', '20', '--rate', '60', '--seed', '1', '--output', output]).catch((error: { stdout: string; stderr: string }) => {
    t.fail('it ends with exit code 0', { stdout: error.stdout, stderr: error.stderr });
    return error;
  });
  const result = JSON.parse(await readFile(join(output, 'soak.json'), 'utf8')) as SoakResult;
  t.strictSame(result.invariants.filter(({ held }) => !held), []);
  t.strictSame(result.invariants.map(({ name }) => name), Object.keys(invariants));
  t.strictSame(result.options, { seconds: 20, rate: 60, hostile: 0.05, seed: 1, connections: 32, maxConcurrency: 16, without: [] });
  t.hasProps(result.versions, ['node', 'packhost']);
  t.hasProps(result.machine, ['cores', 'model', 'memoryMiB', 'kernel', 'system']);
  for (const { name } of hostileKinds(16)) t.ok(result.counts[name], `it met: ${name}`);
  t.ok((result.counts['echo']?.['ok'] ?? 0) > 0, 'echoes were answered');
  t.ok(result.samples.length > 0);
  t.match(stdout, /^soak: /m);
  t.match(stdout, /seed 1/);
});

t.test('an argument that makes no sense is refused by name, and nothing runs', async (t) => {
  await t.rejects(run(process.execPath, [soak, '--rate', 'fast']), { code: 1, stderr: /--rate/ });
  await t.rejects(run(process.execPath, [soak, '--without', 'nonsense']), { code: 1, stderr: /nonsense/ });
});

t.test('a seed gives the same calls each time, and another seed gives others', async (t) => {
  const drawn = (of: number) => {
    const digest = createHash('sha256');
    for (const each of plan({ ...planOptions, seconds: 20, seed: of })) digest.update(JSON.stringify(each));
    return digest.digest('hex');
  };
  t.equal(drawn(1), drawn(1));
  t.not(drawn(1), drawn(2));
});

t.test('calls arrive at the rate that was asked for, each under a nonce of its own', async (t) => {
  const calls = [...plan({ ...planOptions, hostile: 0 })];
  t.ok(Math.abs(calls.length - 6000) < 400, `${calls.length} of 6000`);
  t.strictSame(calls.map(({ sequence }) => sequence), calls.map((_, place) => place));
  t.ok(calls.every(({ sequence, nonce }) => ownerOf(nonce) === sequence));
  t.equal(new Set(calls.map(({ nonce }) => nonce)).size, calls.length);
});

t.test('a nonce that is cut or of another seed is nobody’s', async (t) => {
  const nonce = nonceOf(seed, 7);
  t.equal(ownerOf(nonce), 7);
  for (const wrong of [nonce.slice(0, -1), nonceOf(2, 7), '7', '', 7, undefined, null, {}]) t.equal(ownerOf(wrong), undefined);
});

t.test('a right answer is no problem', async (t) => {
  t.strictSame(judgeAnswer(call(1), answer({ kind: 'result', output: { nonce: call(1).nonce, text: 'hello' } }), ownerOf), { fate: 'answered', outcome: 'ok', problems: [] });
  t.strictSame(judgeAnswer(call(1), answer({}, { status: 503, headers: { 'retry-after': '1' } }), ownerOf), { fate: 'refused', problems: [] });
});

t.test('a crossed nonce is named, with the call it belongs to', async (t) => {
  t.match(problemsOf(call(1), answer({ kind: 'result', output: { nonce: call(2).nonce, text: 'hello' } })), [{ invariant: 'own data', detail: /call 1 \(echo\).*crossed nonce.*call 2/ }]);
  t.match(problemsOf(call(1), answer({ kind: 'result', output: { nonce: 'x', text: 'hello' } })), [{ invariant: 'own data', detail: /nobody/ }]);
});

t.test('an error about another tool is named', async (t) => {
  const thrower: PlannedCall = { ...call(1), ask: toTool('soak.throw', {}, { outcomes: ['handler-throw'] }) };
  const error = { kind: 'error', code: 'handler-throw', message: 'thrown', cause: { name: 'Error', message: 'thrown' } };
  t.strictSame(problemsOf(thrower, answer({ ...error, toolId: 'soak.throw' })), []);
  t.match(problemsOf(thrower, answer({ ...error, toolId: 'soak.echo' })), [{ invariant: 'own data', detail: /soak\.echo/ }]);
});

t.test('an answer that is not of the protocol, or not what the call allows, is named', async (t) => {
  const result = { kind: 'result', output: { nonce: call(1).nonce, text: 'hello' } };
  const wrong: readonly Answer[] = [
    answer(result, { status: 500 }),
    answer(result, { text: 'no JSON' }),
    answer(result, { headers: {} }),
    answer({ ...result, v: 1 }),
    answer({ ...result, kind: 'check-result' }),
    answer({ kind: 'error', code: 'no-such-code', message: 'm' }),
    answer({ kind: 'error', code: 'handler-throw', message: 'm', toolId: 'soak.echo' }),
    answer({ ...result, output: { nonce: call(1).nonce, text: 'hullo' } }),
    answer({}, { status: 503, headers: {} }),
  ];
  for (const each of wrong) t.match(problemsOf(call(1), each)[0], { invariant: 'expected', detail: /call 1/ });
});

t.test('a limit that is reported as something else is named', async (t) => {
  const filler: PlannedCall = { ...call(1), ask: toTool('soak.fill-heap', {}, { outcomes: ['handler-throw'], cause: { name: 'ResourceLimitExceeded', limit: 'memMB' } }) };
  const error = (cause: object) => answer({ kind: 'error', code: 'handler-throw', message: 'm', toolId: 'soak.fill-heap', cause });
  t.strictSame(problemsOf(filler, error({ name: 'ResourceLimitExceeded', limit: 'memMB' })), []);
  t.match(problemsOf(filler, error({ name: 'ResourceLimitExceeded', limit: 'cpuMs' })), [{ invariant: 'expected', detail: /cause\.limit/ }]);
  t.match(problemsOf(filler, error({ name: 'WorkerExited' })), [{ detail: /cause\.name/ }, { detail: /cause\.limit/ }]);
});

t.test('a lost answer is named, whether the connection broke or nothing came', async (t) => {
  const account = new Account();
  account.set(0, 'echo', 'answered', 'ok');
  account.set(1, 'echo', 'lost');
  account.set(2, 'wait', 'waiting');
  account.set(3, 'hang-up', 'hung up');
  account.set(4, 'burst', 'refused');
  t.match([...lostAnswers(account)], [
    { invariant: 'answers', detail: /call 1 \(echo\).*lost/ },
    { invariant: 'answers', detail: /call 2 \(wait\).*lost/ },
  ]);
});

t.test('a doubled nonce, a run after a refusal and an answer without a run are named', async (t) => {
  const account = new Account();
  account.set(0, 'echo', 'answered', 'ok');
  account.set(1, 'echo', 'answered', 'ok');
  account.set(2, 'echo', 'refused');
  account.set(3, 'too large', 'turned away');
  account.set(4, 'malformed', 'answered', 'malformed-message');
  account.set(5, 'gone mid-body', 'left mid-body');
  account.set(6, 'echo', 'answered', 'ok');
  account.set(7, 'endless loop', 'answered', 'deadline-exceeded');
  account.set(8, 'hang-up', 'hung up');
  const runs = [1, 2, 1, 1, 1, 1, 0, 0, 2, 1];
  t.match([...wrongRuns(account, (sequence) => runs[sequence] ?? 0, runs.length)], [
    { invariant: 'single runs', detail: /call 1 \(echo\).*doubled nonce.*2 times/ },
    { invariant: 'refused unrun', detail: /call 2 .*refused/ },
    { invariant: 'refused unrun', detail: /call 3 .*turned away/ },
    { invariant: 'refused unrun', detail: /call 4 .*malformed-message/ },
    { invariant: 'refused unrun', detail: /call 5 .*left mid-body/ },
    { invariant: 'answered ran', detail: /call 6 .*never ran/ },
    { invariant: 'single runs', detail: /call 8 .*2 times/ },
    { invariant: 'refused unrun', detail: /call 9 .*unsent/ },
  ]);
});

const record = (fields: object) => `{"level":"info","severity":"INFO",${JSON.stringify(fields).slice(1)}\n`;
const watchOf = (...lines: readonly string[]) => {
  const watch = new StderrWatch(ownerOf);
  // Byte by byte: lines may come in any pieces.
  for (const byte of Buffer.from(lines.join(''))) watch.push(Buffer.from([byte]));
  watch.end();
  return watch;
};

t.test('records that are missing, doubled, of another outcome or of a call without answer are named', async (t) => {
  const account = new Account();
  for (const sequence of [0, 1, 2, 3]) account.set(sequence, 'echo', 'answered', 'ok');
  account.set(4, 'echo', 'refused');
  account.set(5, 'hang-up', 'hung up');
  account.set(6, 'hang-up', 'hung up');
  const of = (sequence: number, outcome = 'ok') => record({ kind: 'call', requestId: nonceOf(seed, sequence), outcome });
  const { calls } = watchOf(of(0), '~~~~', of(2), '~~~\n', of(2), of(3, 'handler-throw'), of(4), of(6, 'cancelled'), record({ kind: 'call', outcome: 'ok' }));
  t.match([...wrongRecords(account, calls)], [
    { invariant: 'records', detail: /call 1 .*0 records/ },
    { invariant: 'records', detail: /call 2 .*2 records/ },
    { invariant: 'records', detail: /call 3 .*answered ok and recorded handler-throw/ },
    { invariant: 'records', detail: /call 4 .*refused/ },
    { invariant: 'records', detail: /1 records without ids/ },
  ]);
});

t.test('a late fault that is laid to a call that left none is named', async (t) => {
  const account = new Account();
  account.set(0, 'late fault', 'answered', 'ok');
  account.set(1, 'echo', 'answered', 'ok');
  const of = (kind: string, sequence: number) => record({ kind, requestId: nonceOf(seed, sequence), outcome: 'ok' });
  const watch = watchOf(of('call', 0), of('late-fault', 0), of('call', 1), of('late-fault', 1), record({ kind: 'late-fault' }));
  t.match([...wrongRecords(account, watch.calls)], [{ invariant: 'late faults', detail: /call 1 \(echo\)/ }]);
  t.match([...watch.problems()], [{ invariant: 'late faults' }]);
});

t.test('a stack trace of packhost on stderr is named, one of the pack or a flood is not', async (t) => {
  const watch = watchOf('~'.repeat(300), '\n', '    at handler (/pack/tool.js:1:1)\n', '    at Scaling.grow (file:///app/dist/src/pool/scaling.js:1:1)\n', record({ kind: 'request-failed' }));
  t.match([...watch.problems()], [{ invariant: 'stderr', detail: /scaling\.js/ }, { invariant: 'stderr', detail: /request-failed/ }]);
  t.equal(watch.strangers.length, 2);
});

t.test('memory that rises and threads that stay are named', async (t) => {
  const samples = (of: (second: number) => number) => Array.from({ length: 120 }, (_, second) => ({ second, residentMiB: of(second), threads: 20 }));
  const risen = (of: (second: number) => number) => [...risenMemory(levelOf(samples(of), 120))];
  t.strictSame(risen((second) => Math.min(200, 100 + 3 * second)), []);
  t.strictSame(risen((second) => (second % 10 === 0 ? 900 : 200)), [], 'a tool that fills its memory now and then is no leak');
  t.match(risen((second) => 100 + 2 * second), [{ invariant: 'memory', detail: /more than 20 % up/ }]);
  t.match([...risenMemory(levelOf([], 120))], [{ invariant: 'memory' }], 'no samples prove nothing');
  t.strictSame([...tooManyThreads(27, 16)], []);
  t.match([...tooManyThreads(40, 16)], [{ invariant: 'threads', detail: /40 threads/ }]);
  t.match([...tooManyThreads(NaN, 16)], [{ invariant: 'threads' }], 'no count proves nothing');
});

t.test('problems are all counted and the first of them told, also across processes', async (t) => {
  const there = new Problems();
  for (let count = 0; count < 100; count++) there.add({ invariant: 'answers', detail: `number ${count}` });
  const here = new Problems();
  here.add({ invariant: 'answers', detail: 'here' });
  here.merge(there.data());
  t.equal(here.count('answers'), 101);
  t.equal(here.told('answers').length, 20);
  t.equal(here.told('answers')[0], 'here');
  t.equal(here.count('memory'), 0);
});

t.test('draws are of the sizes that were asked for', async (t) => {
  const draw = drawFrom(7);
  for (let turn = 0; turn < 1000; turn++) {
    const number = draw.whole(3, 5);
    if (!Number.isInteger(number) || number < 3 || number > 5) t.fail(`drew ${number}`);
  }
  t.strictSame(draw.shuffled([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
  t.equal(String(echo(draw).input['text']).length, 200);
});
