import t from 'tap';
import { failsWith } from '../answers.js';
import { type AnswerBody, serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'throws-as-told' });
const thrown = (what: string, how: 'throw' | 'reject' = 'throw') => service.invoke(toolCall('throw', { what, how }));
type Cause = NonNullable<AnswerBody['cause']>;
const within = (cause: Cause | undefined): Cause | undefined => cause?.['cause'] as Cause | undefined;

t.test('an error thrown or rejected is told by name, message, stack and code', async (t) => {
  for (const how of ['throw', 'reject'] as const) {
    const { cause, message, toolId } = failsWith(t, await thrown('error', how), 'handler-throw');
    t.equal(toolId, 'throw');
    t.match(message, 'boom');
    t.match(cause, { name: 'TypeError', message: 'boom', code: 'E_BOOM', stack: /throw\.mjs/ });
  }
  t.match(failsWith(t, await thrown('named'), 'handler-throw').cause, { name: 'PaymentDeclined', message: 'declined' });
});

t.test('the cause of an error is told within it', async (t) => {
  const { cause } = failsWith(t, await thrown('cause'), 'handler-throw');
  t.match(cause, { name: 'Error', message: 'outer', cause: { name: 'RangeError', message: 'inner', code: 'E_INNER', stack: String } });
  t.match(JSON.stringify(failsWith(t, await thrown('cause-text'), 'handler-throw').cause), 'just text');
});

t.test('the errors of an AggregateError are told one by one', async (t) => {
  const { cause } = failsWith(t, await thrown('aggregate'), 'handler-throw');
  t.match(cause, { name: 'AggregateError', message: 'many', errors: [{ name: 'TypeError', message: 'one' }, { name: 'Error', message: 'two', cause: { message: 'why two' } }] });
});

t.test('a chain of a thousand causes, or one that is its own cause, is cut', async (t) => {
  for (const what of ['chain', 'own-cause']) {
    const answer = await thrown(what);
    const { cause } = failsWith(t, answer, 'handler-throw', what);
    t.type(cause?.['message'], 'string');
    let depth = 0;
    for (let inner = within(cause); inner; inner = within(inner)) depth += 1;
    t.ok(depth < 100, `${depth} causes deep`);
  }
});

t.test('an AggregateError that holds itself many times over is cut too, and answered soon', async (t) => {
  const answer = await service.invoke(toolCall('throw', { what: 'own-errors' }), { 'kindgi-timeout-ms': '10000' });
  t.match(failsWith(t, answer, 'handler-throw').cause, { name: 'AggregateError', message: 'holds itself' });
  t.ok(answer.text.length < 1_000_000, `${answer.text.length} bytes`);
});

t.test('a message or text that was thrown is in the answer', async (t) => {
  t.match((await thrown('text')).text, 'plain text');
  t.match((await thrown('number')).text, '42');
  t.match((await thrown('symbol')).text, 'sign');
});

t.test('whatever is thrown or rejected is handler-throw, never a result', async (t) => {
  const odd = ['null', 'undefined', 'text', 'number', 'bigint', 'object', 'function', 'symbol', 'to-json', 'odd-message', 'cyclic', 'revoked', 'getters', 'hostile-proxy'];
  for (const what of odd) {
    for (const how of ['throw', 'reject'] as const) {
      const { cause } = failsWith(t, await thrown(what, how), 'handler-throw', `${how} ${what}`);
      t.type(cause?.['name'], 'string');
      t.type(cause?.['message'], 'string');
    }
  }
});

t.test('no thread was lost to any of it', async (t) => {
  t.equal((await service.get('/readyz')).status, 200);
  t.equal(service.ended, undefined);
});
