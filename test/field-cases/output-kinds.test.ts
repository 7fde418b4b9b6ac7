import t from 'tap';
import { serve, toolCall } from '../running-service.js';
import { failure, farDeadline } from './calls.js';

t.test('every kind of value has one outcome as an output: the JSON form, which is what the schema judges (lobu-ai/lobu#1721)', async (t) => {
  const service = await serve(t, { pack: 'returns-every-kind', args: ['--min-threads', '1', '--max-threads', '1'] });
  const returned = (id: string, what: string) => service.invoke(toolCall(id, { what }), farDeadline);
  const sent: Readonly<Record<string, string>> = {
    date: '"1970-01-01T00:00:00.000Z"', 'invalid date': 'null', map: '{}', set: '{}', buffer: '{"type":"Buffer","data":[104,105]}', 'typed array': '{"0":1,"1":2}',
    'minus zero': '0', infinity: 'null', 'not a number': 'null', undefined: 'null', 'undefined inside': '{"b":[null]}', toJSON: '{"from":"toJSON"}', instance: '{"x":1}',
    error: '{}', regexp: '{}', 'boxed string': '"boxed"', 'no prototype': '{"a":1}', 'half a character': String.raw`"\ud83d"`, 'own __proto__': '{"__proto__":{"a":1}}', 'sparse list': '[null,1]',
  };
  for (const [what, json] of Object.entries(sent)) t.equal((await returned('any', what)).text, `{"v":2,"kind":"result","output":${json}}`, what);
  t.ok(failure(await returned('any', 'bigint'), 'output-validation-failed').issues?.length, 'a BigInt has no JSON form, and an issue says so');

  const fits: Readonly<Record<string, readonly string[]>> = {
    text: ['date', 'boxed string', 'half a character'], number: ['minus zero'], object: ['map', 'set', 'error', 'regexp'], null: ['undefined', 'invalid date', 'infinity', 'not a number'],
  };
  const breaks: Readonly<Record<string, readonly string[]>> = {
    text: ['undefined', 'invalid date', 'map', 'buffer', 'toJSON'], number: ['infinity', 'not a number', 'bigint'], object: ['date', 'typed array', 'instance', 'no prototype', 'sparse list'], null: ['minus zero'],
  };
  for (const [id, whats] of Object.entries(fits)) for (const what of whats) t.match(await returned(id, what), { body: { kind: 'result' } }, `${what} is ${id} in its JSON form`);
  for (const [id, whats] of Object.entries(breaks)) for (const what of whats) failure(await returned(id, what), 'output-validation-failed');
});
