import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { outputOf } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';
import { deadline, failure, farDeadline, hasWholeCapacity, leavingCall, named } from './calls.js';

const threads = 2;
const args = ['--min-threads', String(threads), '--max-threads', String(threads), '--max-concurrency', '64', '--max-queue', '64', '--grace', '100'];
const service = await serve(t, { pack: 'waits-as-told', args });
const outcomes = (of: string) => service.records.filter((record) => record.kind === 'call' && record['outcome'] === of);

t.test('of fifty calls every second one is cancelled, and the others answer their own results (piscinajs/piscina#934)', async (t) => {
  const calls = Array.from({ length: 50 }, (_, number) => {
    const leaves = number % 2 === 1;
    return leavingCall(service, toolCall('wait', { ms: leaves ? 60_000 : 20, value: number }, named(`fifty-${number}`)));
  });
  for (const [number, call] of calls.entries()) {
    if (number % 2 === 0) continue;
    await call.sent;
    await sleep(number % 7); // some leave while they wait for a thread, some while they run
    call.hangUp();
  }
  for (const [number, call] of calls.entries()) {
    const answer = await call.answer;
    if (answer === 'gone') t.equal(number % 2, 1, 'only those that left are gone');
    else t.strictSame(outputOf(answer), { value: number });
  }
  t.notOk(service.records.some((record) => record['outcome'] === 'ok' && Number(String(record['requestId']).split('-')[1]) % 2 === 1), 'none that left is recorded as done');
});

t.test('a call whose deadline passes while it waits for a thread never runs (piscinajs/piscina#869)', async (t) => {
  const folder = temporaryFolder(t);
  const held = Array.from({ length: threads }, () => hold(t, service));
  await Promise.all(held.map((call) => call.running()));
  const file = join(folder, 'side-effects');
  const late = await Promise.all(Array.from({ length: 5 }, () => service.invoke(toolCall('append', { file }), deadline(150))));
  for (const answer of late) failure(answer, 'deadline-exceeded');
  const left = leavingCall(service, toolCall('append', { file }, named('left-the-queue')));
  await left.sent;
  await sleep(50);
  left.hangUp();
  await service.recorded('call', (record) => record['requestId'] === 'left-the-queue' && record['outcome'] === 'cancelled');
  for (const call of held) call.release();
  for (const call of held) outputOf(await call.answer);
  const after = Array.from({ length: threads * 4 }, () => service.invoke(toolCall('append', { file: `${file}-of-others` }), farDeadline));
  for (const answer of await Promise.all(after)) outputOf(answer);
  t.equal(linesOf(`${file}-of-others`).length, threads * 4, 'calls that came later ran');
  t.strictSame(linesOf(file), [], 'those that were over before did not');
});

t.test('after a deadline the next quick call works, a hundred times over (dherault/serverless-offline#1896)', async (t) => {
  const file = join(temporaryFolder(t), 'deaf');
  /** Most heed their signal; some lose their thread after the grace, and some are loops. */
  const slow = (round: number) => (round % 20 === 9 ? toolCall('deaf', { file }) : round % 20 === 19 ? toolCall('spin') : toolCall('wait', { ms: 60_000 }));
  let quick = 0;
  for (let round = 0; round < 100; round++) {
    failure(await service.invoke(slow(round), deadline(25)), 'deadline-exceeded');
    if ((outputOf(await service.invoke(toolCall('echo', { round }), farDeadline)) as { round: number }).round === round) quick++;
  }
  t.equal(quick, 100);
});

t.test('a caller that leaves a handler deaf to its signal costs one thread, and the capacity comes back (modelcontextprotocol/typescript-sdk#611)', async (t) => {
  const folder = temporaryFolder(t);
  const own = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '2', '--max-threads', '2', '--max-concurrency', '2', '--grace', '200'] });
  const files = ['first', 'second'].map((name) => join(folder, name));
  const deaf = files.map((file) => leavingCall(own, toolCall('deaf', { file }, named(file))));
  await until(() => files.every((file) => linesOf(file).length > 0), 'both handlers to run');
  for (const call of deaf) call.hangUp();
  for (const call of deaf) t.equal(await call.answer, 'gone');
  await until(() => own.records.filter((record) => record.kind === 'thread-ended').length === 2, 'both threads to be ended');
  for (const file of files) t.match(await own.recorded('call', (record) => record['requestId'] === file), { outcome: 'cancelled' });
  await hasWholeCapacity(t, own, 2);
  // A thread that is ended takes some milliseconds to be gone, and writes on until then.
  await until(async () => {
    const lines = files.map((file) => linesOf(file).length);
    await sleep(300);
    return files.every((file, at) => linesOf(file).length === lines[at]);
  }, 'no handler to go on');
});

t.test('a thousand ordinary POSTs are not one hang-up, and a real one reaches the signal within 100 ms (honojs/node-server#217)', async (t) => {
  const before = outcomes('cancelled').length;
  const kept = new http.Agent({ keepAlive: true, maxSockets: 8 });
  t.teardown(() => kept.destroy());
  let next = 0;
  const client = async (agent: http.Agent | undefined): Promise<void> => {
    while (next < 1000) {
      const number = next++;
      t.equal((outputOf(await service.invoke(toolCall('echo', { number }), farDeadline, agent ? { agent } : {})) as { number: number }).number, number);
    }
  };
  await Promise.all([kept, kept, kept, kept, undefined, undefined].map(client));
  t.equal(outcomes('cancelled').length, before, 'none of them was taken for a hang-up');

  const folder = temporaryFolder(t);
  const delays: number[] = [];
  for (let round = 0; round < 5; round++) {
    const [started, signalled] = [join(folder, `started-${round}`), join(folder, `signalled-${round}`)];
    const call = leavingCall(service, toolCall('listen', { started, signalled }));
    await until(() => existsSync(started), 'the handler to run');
    const leftAt = Date.now();
    call.hangUp();
    t.equal(await call.answer, 'gone');
    const signal = await until(() => (existsSync(signalled) ? (JSON.parse(readFileSync(signalled, 'utf8') || 'null') as { at: number; name: string; reason: string } | null) : undefined), 'the signal');
    t.match(signal, { name: 'CallCancelled', reason: 'cancelled' });
    delays.push(signal.at - leftAt);
  }
  delays.sort((a, b) => a - b);
  t.ok((delays[2] ?? Infinity) < 100, `the signal came after ${delays.join(', ')} ms`);
});
