import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const service = await serve(t, { pack: 'validates-input' });
const version = (id: string, version: string): Record<string, unknown> => ({ tool: { id, version } });

t.test('input that breaks its schema is answered with every issue, and the handler does not run', async (t) => {
  const mark = join(temporaryFolder(t), 'mark');
  const input = { mark, colour: 'blue', code: 'abc', mail: 'nobody', more: 1 };
  const { issues = [], ...error } = failsWith(t, await service.invoke(toolCall('strict', input)), 'input-validation-failed');
  t.equal(error['toolId'], 'strict');
  const issue = (keyword: string): unknown => issues.find((one) => one['keyword'] === keyword);
  t.match(issue('required'), { instancePath: '', params: { missingProperty: 'count' }, message: String });
  t.match(issue('additionalProperties'), { instancePath: '', params: { additionalProperty: 'more' } });
  t.match(issue('enum'), { instancePath: '/colour', params: { allowedValues: ['red', 'green'] } });
  t.match(issue('pattern'), { instancePath: '/code', params: { pattern: '^[A-Z]+$' }, schemaPath: /^#\// });
  t.match(issue('format'), { instancePath: '/mail', params: { format: 'email' } });
  t.equal(issues.length, 5);
  t.notOk(existsSync(mark));
  t.same(outputOf(await service.invoke(toolCall('strict', { mark, count: 1, mail: 'a@example.com' }))), { count: 1 });
  t.ok(existsSync(mark));
});

t.test('input of any other JSON type is judged like an object', async (t) => {
  for (const input of [null, 'text', 7, true, []]) {
    const { issues } = failsWith(t, await service.invoke(toolCall('strict', input)), 'input-validation-failed');
    t.match(issues?.[0], { instancePath: '', keyword: 'type', params: { type: 'object' } });
  }
});

t.test('numbers and text are not converted', async (t) => {
  for (const list of [['1'], [true], [null], 1]) failsWith(t, await service.invoke(toolCall('numbers', { list })), 'input-validation-failed');
});

t.test('a number too large for JavaScript is not handed on as Infinity', async (t) => {
  const raw = JSON.stringify(toolCall('numbers', { list: [0] })).replace('[0]', '[1e400]');
  const answer = await service.invoke(raw);
  t.notMatch(answer.text, /null|Infinity/);
  t.equal(answer.body.kind, 'error');
});

t.test('an answer holds a hundred issues at most', async (t) => {
  const list = Array.from({ length: 5000 }, () => 'x');
  const { issues } = failsWith(t, await service.invoke(toolCall('numbers', { list })), 'input-validation-failed');
  t.equal(issues?.length, 100);
});

t.test('the handler gets the defaults of the schema, those within objects and lists too', async (t) => {
  t.same(outputOf(await service.invoke(toolCall('defaults', { name: 'Ada', lines: [{}, { quantity: 3 }] }))), {
    name: 'Ada', greeting: 'Hello', options: { loud: false }, lines: [{ quantity: 1 }, { quantity: 3 }],
  });
  const given = { name: 'Ada', greeting: '', options: { loud: true } };
  t.same(outputOf(await service.invoke(toolCall('defaults', given))), given, 'what was given stays');
  t.same(outputOf(await service.invoke(toolCall('defaults', { name: 'Bo' }))), { name: 'Bo', greeting: 'Hello', options: { loud: false } }, 'and no call sees what another was given');
});

t.test('output that breaks its schema is answered with every issue', async (t) => {
  const { issues, toolId } = failsWith(t, await service.invoke(toolCall('lies')), 'output-validation-failed');
  t.equal(toolId, 'lies');
  t.match(issues?.find(({ keyword }) => keyword === 'type'), { instancePath: '/text', params: { type: 'string' } });
  t.match(issues?.find(({ keyword }) => keyword === 'required'), { params: { missingProperty: 'more' } });
});

t.test('a named version is the one that runs', async (t) => {
  t.same(outputOf(await service.invoke(toolCall('versioned', {}, version('versioned', '1.0.0')))), { from: 1 });
  t.same(outputOf(await service.invoke(toolCall('versioned', {}, version('versioned', '2.0.0')))), { from: 2 });
  t.same(outputOf(await service.invoke(toolCall('numbers', {}, version('numbers', '1.0.0')))), {});
});

t.test('another version than the index has, or none where it has several, is a mismatch that says so', async (t) => {
  for (const [id, wanted] of [['versioned', '3.0.0'], ['numbers', '9.9.9'], ['numbers', '1.0'], ['numbers', '^1.0.0'], ['numbers', '']] as const) {
    const { message, toolId } = failsWith(t, await service.invoke(toolCall(id, {}, version(id, wanted))), 'tool-version-mismatch', `${id} ${wanted}`);
    t.equal(toolId, id);
    t.ok(message.includes('1.0.0') && message.includes(wanted), 'the message has both');
  }
  const { message } = failsWith(t, await service.invoke(toolCall('versioned')), 'tool-version-mismatch');
  t.ok(message.includes('1.0.0') && message.includes('2.0.0'), 'the message has what there is');
});

t.test('a tool without a version is served to a call that names none', async (t) => {
  t.same(outputOf(await service.invoke(toolCall('unversioned'))), { from: 1 });
  failsWith(t, await service.invoke(toolCall('unversioned', {}, version('unversioned', '1.0.0'))), 'tool-version-mismatch');
});
