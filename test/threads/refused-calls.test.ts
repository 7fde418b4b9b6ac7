import t, { type Test } from 'tap';
import { outputOf } from '../answers.js';
import { hold } from '../calls-in-flight.js';
import { failure } from '../field-cases/calls.js';
import { type HttpAnswer, type RunningService, serve, toolCall, until } from '../running-service.js';
import { call, faultSwitch, faultyPack, preloadInThreads } from './faulty-pack.js';

type Counts = Readonly<Record<string, number>>;

/** By their reasons, what the `calls-refused` records of a service count together. */
function recorded(service: RunningService): Counts {
  const sum: Record<string, number> = {};
  for (const record of service.records.filter(({ kind }) => kind === 'calls-refused')) {
    for (const [reason, count] of Object.entries(record['refused'] as Counts)) sum[reason] = (sum[reason] ?? 0) + count;
  }
  return sum;
}

const reasonOfStatus: Readonly<Record<number, string>> = { 401: 'unauthorized', 413: 'too large', 415: 'unsupported content type' };

/** Why a call was refused, as its answer says; undefined of one that was not. */
const reasonOf = ({ status, body }: HttpAnswer): string | undefined => (status === 503 ? String(body['error']) : reasonOfStatus[status]);

/** Makes calls one by one, each of which must be refused, and counts them. */
class Refusals {
  readonly counts: Record<string, number> = {};

  async add(times: number, reason: string, send: () => Promise<HttpAnswer>): Promise<void> {
    for (let sent = 0; sent < times; sent++) {
      const answer = await send();
      if (reasonOf(answer) !== reason) throw new Error(`expected a refusal as ${reason}: ${answer.status} ${answer.text}`);
      this.counts[reason] = (this.counts[reason] ?? 0) + 1;
    }
  }
}

/** Stops a service, and asserts that its records count each refused call. */
async function countsAll(t: Test, service: RunningService, { counts }: Refusals): Promise<void> {
  t.equal((await service.stop()).code, 0);
  t.strictSame(recorded(service), counts);
}

t.test('each refused call is counted by its reason', async (t) => {
  const service = await serve(t, { pack: faultyPack(t), args: ['--max-concurrency', '1', '--max-body', '1000'] });
  const refusals = new Refusals();
  const large = JSON.stringify(toolCall('echo', { pad: 'x'.repeat(2_000) }));
  await refusals.add(7, 'unauthorized', () => service.invoke(toolCall('echo'), {}, { token: 'wrong' }));
  await refusals.add(3, 'too large', () => service.invoke(large));
  await refusals.add(2, 'too large', () => service.invoke(large, { 'transfer-encoding': 'chunked' }));
  await refusals.add(4, 'unsupported content type', () => service.invoke(toolCall('echo'), { 'content-type': 'text/plain' }));
  const held = hold(t, service);
  await held.running();
  await refusals.add(20, 'overloaded', () => service.invoke(toolCall('echo')));
  service.child.kill('SIGTERM');
  await service.recorded('draining');
  await refusals.add(5, 'draining', () => service.invoke(toolCall('echo')));
  held.release();
  t.strictSame(outputOf(await held.answer), { released: true });
  await until(() => service.ended, 'the service to end');
  t.strictSame(recorded(service), refusals.counts);
});

t.test('calls that come while no thread can start are counted', async (t) => {
  const throws = faultSwitch(t);
  const service = await serve(t, {
    pack: faultyPack(t), args: ['--min-threads', '1', '--max-threads', '1'], env: { NODE_OPTIONS: preloadInThreads(t, throws, `throw new Error('not today');`) },
  });
  throws.turnOn();
  failure(await call(service, 'exit'), 'handler-throw');
  await until(async () => (await service.get('/readyz')).status === 503 && service.record('thread-failed'), 'the service to have no thread');
  const refusals = new Refusals();
  await refusals.add(6, 'not ready', () => service.invoke(toolCall('echo')));
  await countsAll(t, service, refusals);
});

t.test('calls that come while the environment lacks a name are counted', async (t) => {
  const service = await serve(t, { pack: 'reads-the-environment' });
  const refusals = new Refusals();
  await refusals.add(6, 'missing env', () => service.invoke(toolCall('environment')));
  await countsAll(t, service, refusals);
});

t.test('while calls are refused there is a record of it once a second', async (t) => {
  const service = await serve(t, { pack: faultyPack(t) });
  const refusals = new Refusals();
  const startedAt = performance.now();
  while (performance.now() - startedAt < 3_000) await refusals.add(10, 'unauthorized', () => service.invoke(toolCall('echo'), {}, { token: 'wrong' }));
  const whileRefused = service.records.filter(({ kind }) => kind === 'calls-refused').length;
  await countsAll(t, service, refusals);
  const seconds = (performance.now() - startedAt) / 1_000;
  t.ok(whileRefused >= 1, 'not only at the end');
  // One for each second, and one for what is left at the end.
  const records = service.records.filter(({ kind }) => kind === 'calls-refused').length;
  t.ok(records <= seconds + 2, `${records} records in ${seconds} s`);
});
