import t, { type Test } from 'tap';
import { errorOf, failsWith, outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'returns-odd-values' });
const call = (what: string, tool = 'object') => service.invoke(toolCall(tool, { what }));

/** Asserts that an output is refused with an issue at a place. */
async function refused(t: Test, what: string, place: string, tool = 'object'): Promise<void> {
  const { issues = [], toolId } = failsWith(t, await call(what, tool), 'output-validation-failed', what);
  t.equal(toolId, tool);
  t.strictSame(issues.map((issue) => issue['instancePath']), [place]);
}

t.test('an output arrives in its JSON form', async (t) => {
  const forms: Record<string, unknown> = {
    date: { value: '1970-01-01T00:00:00.000Z' },
    'invalid-date': { value: null },
    map: { value: {} },
    set: { value: {} },
    buffer: { value: { type: 'Buffer', data: [1, 2] } },
    'typed-array': { value: { 0: 1, 1: 2 } },
    numbers: { value: [0, null, null, null, 1e21, 0.1] },
    undefined: { kept: null, list: [null, 1] },
    'to-json': { value: 'from value' },
    instance: { value: { x: 1, y: 2 } },
    boxed: { value: ['s', 1, false] },
    url: { value: 'https://example.com/a%20b' },
    regexp: { value: {} },
    error: { value: {} },
    'symbol-key': { value: { a: 1 } },
    'null-prototype': { value: { a: 1 } },
    inherited: { value: {} },
    surrogate: { value: '\ud800' },
    twice: { first: { a: 1 }, second: { a: 1 } },
    'top-promise-of': { value: 1 },
  };
  for (const [what, form] of Object.entries(forms)) t.strictSame(outputOf(await call(what)), form, what);
});

t.test('a key __proto__ of an output is carried as data', async (t) => {
  const answer = await call('proto');
  t.match(answer.text, /"__proto__":\{"polluted":true\}/);
  t.equal(outputOf(answer)['value'], 1);
});

t.test('what JSON cannot carry is refused, and the issue says where it is', async (t) => {
  const places: Record<string, string> = {
    bigint: '/list/0/count', cycle: '/inner/self', function: '/a/b', 'function-in-list': '/list/1', symbol: '/a',
    promise: '/a/0', 'weak-map': '/a', 'weak-set': '/a/b', 'odd-key': '/a~1b~0c',
  };
  for (const [what, place] of Object.entries(places)) {
    await refused(t, what, place);
    await refused(t, what, place, 'anything');
  }
});

t.test('a handler that returns nothing breaks a schema that asks for an object, and answers null to one that does not', async (t) => {
  failsWith(t, await call('top'), 'output-validation-failed');
  t.equal(outputOf(await call('top', 'anything')), null);
  failsWith(t, await call('top-null'), 'output-validation-failed');
  t.equal(outputOf(await call('top-null', 'anything')), null);
});

t.test('an output is any JSON value where the schema is open, and never what JSON cannot carry', async (t) => {
  t.strictSame(outputOf(await call('top-text', 'anything')), 'text');
  t.strictSame(outputOf(await call('top-list', 'anything')), [1, 'a', null]);
  for (const what of ['top-bigint', 'top-function', 'top-symbol']) await refused(t, what, '', 'anything');
});

t.test('what is validated is the JSON form', async (t) => {
  t.strictSame(outputOf(await call('date-and-count', 'strict')), { value: '1970-01-01T00:00:00.000Z', count: 1 });
  const nan = failsWith(t, await call('count-nan', 'strict'), 'output-validation-failed');
  t.match(nan.issues?.[0], { instancePath: '/count', keyword: 'type' }, 'NaN is null');
  const missing = failsWith(t, await call('value-undefined', 'strict'), 'output-validation-failed');
  t.match(missing.issues?.[0], { keyword: 'required', params: { missingProperty: 'value' } }, 'undefined is not there');
});

t.test('an output that throws while it is read, or is too deep to be written, is an error of its tool alone', async (t) => {
  for (const what of ['throwing-getter', 'deep']) {
    const { code, toolId } = errorOf(await call(what));
    t.ok(['output-validation-failed', 'handler-throw'].includes(code), `${what}: ${code}`);
    t.equal(toolId, 'object');
    t.strictSame(outputOf(await call('date')), { value: '1970-01-01T00:00:00.000Z' }, 'the next call is served');
  }
});
