import { join } from 'node:path';
import t from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { hold, linesOf } from '../calls-in-flight.js';
import { ids, serve, toolCall, until } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

// One thread, so that a second call has to wait for the first.
const service = await serve(t, { pack: 'waits-for-files', args: ['--min-threads', '1', '--max-threads', '1', '--default-timeout', '400', '--grace', '300'] });
const within = (ms: number) => ({ 'kindgi-timeout-ms': String(ms) });
const named = (requestId: string) => ({ ctx: { ...ids, requestId } });

t.test('past its deadline a call is answered so, and its signal fires with the reason', async (t) => {
  const held = hold(t, service, { headers: within(200) });
  const answer = await held.answer;
  t.equal(failsWith(t, answer, 'deadline-exceeded').toolId, 'hold');
  t.ok(answer.elapsedMs >= 190, 'not before the deadline');
  t.ok(answer.elapsedMs < 4000, 'and soon after it');
  await until(() => held.lines().length > 1, 'the signal');
  t.strictSame(held.lines(), ['running', 'aborted CallCancelled deadline-exceeded']);
});

t.test('a header that is no positive whole number leaves the default deadline', async (t) => {
  for (const value of ['0', '-5', 'soon', '1.5', '', '0x10', '10, 20', 'NaN', 'Infinity']) {
    t.same(outputOf(await service.invoke(toolCall('touch'), { 'kindgi-timeout-ms': value })), { touched: true }, JSON.stringify(value));
  }
  const answer = await hold(t, service, { headers: { 'kindgi-timeout-ms': '1.5' } }).answer;
  failsWith(t, answer, 'deadline-exceeded');
  t.ok(answer.elapsedMs >= 390, 'it had the 400 ms of --default-timeout');
});

t.test('a deadline of weeks is none that passes at once', async (t) => {
  for (const ms of ['2147483648', '99999999999', '9'.repeat(30)]) {
    const held = hold(t, service, { headers: { 'kindgi-timeout-ms': ms } });
    await held.running();
    held.release();
    t.same(outputOf(await held.answer), { released: true }, ms);
  }
});

t.test('the header may ask for more than the default', async (t) => {
  const held = hold(t, service, { headers: within(20_000) });
  await held.running();
  const late = await service.invoke(toolCall('touch'));
  failsWith(t, late, 'deadline-exceeded', 'a call that waited meanwhile had the default');
  held.release();
  t.same(outputOf(await held.answer), { released: true });
});

t.test('a call whose deadline passes while it waits is answered then, and never runs', async (t) => {
  const log = join(temporaryFolder(t), 'log');
  const held = hold(t, service);
  await held.running();
  const waiting = await Promise.all(Array.from({ length: 3 }, () => service.invoke(toolCall('touch', { log }), within(150))));
  for (const answer of waiting) t.equal(failsWith(t, answer, 'deadline-exceeded').toolId, 'touch');
  held.release();
  await held.answer;
  t.same(outputOf(await service.invoke(toolCall('touch', { log, text: 'after' }), within(5000))), { touched: true });
  t.strictSame(linesOf(log), ['after']);
});

t.test('a caller that hangs up while its call waits: the call never runs', async (t) => {
  const log = join(temporaryFolder(t), 'log');
  const held = hold(t, service);
  await held.running();
  let leave = (): void => {};
  const left = service.invoke(toolCall('touch', { log }, named('left-waiting')), within(20_000), {
    onRequest: (request) => { request.once('finish', () => { leave = () => request.destroy(); }); },
  }).catch(() => 'gone');
  // A second call behind it shows that the first has arrived: both wait for the one thread.
  failsWith(t, await service.invoke(toolCall('touch'), within(150)), 'deadline-exceeded');
  leave();
  t.equal(await left, 'gone');
  await service.recorded('call', ({ requestId, outcome }) => requestId === 'left-waiting' && outcome === 'cancelled');
  held.release();
  await held.answer;
  t.same(outputOf(await service.invoke(toolCall('touch', { log, text: 'after' }), within(5000))), { touched: true });
  t.strictSame(linesOf(log), ['after']);
});

t.test('a handler that ends after its call but within the grace is recorded as late, and its thread serves on', async (t) => {
  const held = hold(t, service, { deaf: true, headers: within(150), extra: named('late') });
  failsWith(t, await held.answer, 'deadline-exceeded');
  held.release();
  const record = await service.recorded('handler-finished-late');
  t.type(record['afterMs'], 'number');
  t.same(outputOf(await service.invoke(toolCall('touch'), within(5000))), { touched: true });
});

t.test('a handler that is deaf to its signal loses its thread after the grace, and the next calls run', async (t) => {
  for (const id of ['spin', 'never']) {
    const log = join(temporaryFolder(t), 'log');
    const answer = await service.invoke(toolCall(id, { log }), within(200));
    failsWith(t, answer, 'deadline-exceeded', id);
    t.ok(answer.elapsedMs < 4000, 'its caller does not wait for the grace');
    t.same(outputOf(await service.invoke(toolCall('touch'), within(20_000))), { touched: true });
  }
});
