import t from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'parses-its-input' });
const call = (id: string, input: unknown) => service.invoke(toolCall(id, input));

t.test('a Standard Schema at inputZod parses the input, and the handler gets what it made of it', async (t) => {
  for (const id of ['sync', 'async']) {
    t.strictSame(outputOf(await call(id, { when: '2020-02-03T00:00:00Z', text: '  trimmed ' })), { isDate: true, year: 2020, text: 'trimmed' });
    t.strictSame(outputOf(await call(id, { when: 0 })), { isDate: true, year: 1970, text: 'filled in' });
  }
});

t.test('a Standard Schema as the definition’s input parses the same', async (t) => {
  t.strictSame(outputOf(await call('as-input', { when: 0, text: ' x ' })), { isDate: true, year: 1970, text: 'x' });
});

t.test('what the parser refuses is an input issue with its place and no keyword, and the handler does not run', async (t) => {
  const { issues, toolId } = failsWith(t, await call('refuses', { items: [] }), 'input-validation-failed');
  t.equal(toolId, 'refuses');
  t.match(issues, [{ instancePath: '/items/0/na~1me', message: 'not that one' }, { instancePath: '', message: 'nothing fits' }]);
  for (const issue of issues ?? []) t.notOk('keyword' in issue);
});

t.test('a Zod schema that is no Standard Schema yet parses the same', async (t) => {
  t.strictSame(outputOf(await call('safe-parse', { when: 0, text: ' x ' })), { isDate: true, year: 1970, text: 'x' });
  const { issues } = failsWith(t, await call('safe-parse', {}), 'input-validation-failed');
  t.match(issues, [{ instancePath: '/when', message: 'when, please' }]);
});

t.test('the JSON Schema judges first: the parser never sees what it refuses', async (t) => {
  failsWith(t, await call('needs-text', { text: '' }), 'input-validation-failed');
  failsWith(t, await call('needs-text', { text: 'x' }), 'handler-throw', 'a parser that throws is pack code that throws');
});
