import t from 'tap';
import { outputOf } from '../answers.js';
import { type RunningService, checkCall, serve, toolCall } from '../running-service.js';
import { failure, farDeadline } from './calls.js';

const args = ['--min-threads', '1', '--max-threads', '1'];
const threadOf = async (service: RunningService) => (outputOf(await service.invoke(toolCall('thread'), farDeadline)) as { threadId: number }).threadId;

t.test('a return value that JSON cannot carry is an error that says where, and the thread lives on (OpenFn/kit#871)', async (t) => {
  const service = await serve(t, { pack: 'returns-anything', args });
  const thread = await threadOf(service);
  /** What is returned, and the place that an issue has to name. */
  const returned: Readonly<Record<string, RegExp>> = {
    'a function': /^$/, 'a symbol': /^$/, nothing: /^$/,
    'a function inside': /value/, 'a symbol inside': /value/, 'a promise inside': /value/, 'a WeakMap inside': /value/, 'a BigInt inside': /value/,
    'a cycle inside': /value\/self/, 'a cycle at the top': /again/, 'fifty thousand levels inside': /^$|value/,
  };
  for (const [what, place] of Object.entries(returned)) {
    const { issues = [], ...body } = failure(await service.invoke(toolCall('returns', { what }), farDeadline), 'output-validation-failed');
    t.equal(body['toolId'], 'returns');
    const places = issues.map((issue) => [String(issue['instancePath']), (issue['params'] as { missingProperty?: string } | undefined)?.missingProperty].filter(Boolean).join('/'));
    t.ok(places.some((one) => place.test(one)), `${what}: ${JSON.stringify(issues).slice(0, 300)}`);
  }
  for (const what of ['a toJSON that throws inside', 'a getter that throws inside', 'a revoked proxy inside']) {
    const body = (await service.invoke(toolCall('returns', { what }), farDeadline)).body;
    t.match(body, { kind: 'error', code: /^(handler-throw|output-validation-failed)$/, toolId: 'returns' }, `${what}: what pack code throws meanwhile is an error of this call`);
  }
  t.equal(await threadOf(service), thread, 'all of it was one thread');
});

t.test('whatever a handler or a check throws is handler-throw, at once, later or as a rejection (apache/openwhisk#1351)', async (t) => {
  const service = await serve(t, { pack: 'throws-anything', args });
  const thread = await threadOf(service);
  const thrown = ['null', 'undefined', '0', "''", 'false', 'NaN', 'a BigInt', '{}', 'an object without a prototype', 'a function', 'a class', 'a symbol', 'a revoked proxy',
    'a revoked proxy of an error', 'a proxy whose traps all throw', 'a cyclic object', 'a promise'];
  for (const what of thrown) {
    for (const how of ['throws', 'rejects', 'rejects later']) {
      const body = failure(await service.invoke(toolCall('throws', { what, how }), farDeadline), 'handler-throw');
      t.match(body, { toolId: 'throws', message: String, cause: { name: String, message: String } }, `${how} ${what}`);
    }
    t.match(failure(await service.invoke(checkCall('throws-check', { what }), farDeadline), 'handler-throw'), { checkId: 'throws-check', cause: { name: String, message: String } }, what);
  }
  t.equal(await threadOf(service), thread, 'all of it was one thread');
});

t.test('an error whose fields throw when they are read, or hold what they should not, is a clean handler-throw (nodejs/node#26145)', async (t) => {
  const service = await serve(t, { pack: 'throws-anything', args });
  const thread = await threadOf(service);
  const errors = ['a getter for stack', 'a getter for message', 'a getter for name', 'a getter for cause', 'a getter for code', 'a getter for errors', 'a toJSON that throws',
    'a toString that throws', 'a constructor that throws', 'fields that are no text', 'a cause of itself', 'two thousand causes', 'errors that are no list'];
  for (const what of errors) {
    const answer = await service.invoke(toolCall('throws', { what }), farDeadline);
    const { cause } = failure(answer, 'handler-throw');
    t.match(cause, { name: String, message: String }, what);
    t.ok(cause?.['stack'] === undefined || typeof cause['stack'] === 'string', `${what}: a stack is text`);
    t.ok(answer.text.length < 200_000, `${what}: the answer is ${answer.text.length} bytes`);
  }
  const plain = ['a getter for stack', 'a getter for cause', 'a getter for code', 'a getter for errors', 'a toJSON that throws', 'a constructor that throws', 'a cause of itself', 'errors that are no list'];
  for (const what of plain) t.match(await service.invoke(toolCall('throws', { what }), farDeadline), { body: { cause: { message: 'plain message' } } }, `${what}: what can be read is kept`);
  t.equal(await threadOf(service), thread, 'all of it was one thread');
});
