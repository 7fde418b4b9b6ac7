import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { failure, farDeadline } from './calls.js';

const service = await serve(t, { pack: 'schema-names-like-builtins', args: ['--min-threads', '1', '--max-threads', '1'] });
// Written as JSON: in an object literal, __proto__ would be no property.
const call = (id: string, input: string) => service.invoke(`{"v":2,"kind":"invoke","tool":{"id":"${id}"},"input":${input},"ctx":{"tenantId":"tenant-1","runId":"run-1"}}`, farDeadline);

t.test('input and output are judged by their own properties, whatever these are called (ajv-validator/ajv#2664)', async (t) => {
  const missing = (issues: readonly Readonly<Record<string, unknown>>[] = []) => issues.map((issue) => (issue['params'] as { missingProperty?: string }).missingProperty).sort();

  t.strictSame(missing(failure(await call('required', '{}'), 'input-validation-failed').issues), ['toString']);
  t.strictSame(outputOf(await call('required', '{"toString":"x"}')), { own: [['toString', 'x']] });
  t.strictSame(missing(failure(await call('required-all', '{}'), 'input-validation-failed').issues), ['__proto__', 'constructor', 'hasOwnProperty', 'valueOf']);
  outputOf(await call('required-all', '{"__proto__":1,"constructor":1,"hasOwnProperty":1,"valueOf":1}'));

  t.strictSame(outputOf(await call('properties', '{}')), { own: [] }, 'what every object inherits is not part of it');
  t.strictSame(outputOf(await call('properties', '{"constructor":1}')), { own: [['constructor', 1]] });
  for (const name of ['constructor', 'toString']) failure(await call('properties', `{"${name}":"no number"}`), 'input-validation-failed');
  failure(await call('properties', '{"valueOf":1}'), 'input-validation-failed');

  t.strictSame(outputOf(await call('dependent', '{}')), { own: [] }, 'an inherited property asks for nothing');
  failure(await call('dependent', '{"a":1}'), 'input-validation-failed');
  failure(await call('dependent', '{"toString":1}'), 'input-validation-failed');
  t.strictSame(outputOf(await call('dependent', '{"a":1,"valueOf":2}')), { own: [['a', 1], ['valueOf', 2]] });

  for (const name of ['__proto__', 'constructor', 'toString']) failure(await call('closed', `{"${name}":{"polluted":true}}`), 'input-validation-failed');
  t.strictSame(outputOf(await call('plain', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')), { polluted: false });

  failure(await service.invoke(toolCall('output'), farDeadline), 'output-validation-failed');
  t.strictSame(outputOf(await service.invoke(toolCall('output', { own: true }), farDeadline)), { toString: 'own' });
});

t.test('a property that a schema declares as __proto__ is judged like any other (ajv-validator/ajv#2664)', async (t) => {
  t.strictSame(outputOf(await call('properties', '{"__proto__":1}')), { own: [['__proto__', 1]] });
  const { issues } = failure(await call('properties', '{"__proto__":"no number"}'), 'input-validation-failed');
  t.match(issues, [{ instancePath: '/__proto__', keyword: 'type' }]);
});

t.test('a property that is called like an inherited one is absent until it is sent, and then gets its default (ajv-validator/ajv#2664)', async (t) => {
  t.strictSame(outputOf(await call('defaults', '{"name":"x"}')), { own: [['name', 'x'], ['valueOf', 'filled in']] });
  t.strictSame(outputOf(await call('defaults', '{"valueOf":"mine"}')), { own: [['valueOf', 'mine']] });
});
