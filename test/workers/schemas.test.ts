import t, { type Test } from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { serve, toolCall } from '../running-service.js';
import { answeringModule, guardrailEntry, indexOf, passingModule, temporaryPack, toolEntry } from '../temporary-pack.js';

const service = await serve(t, { pack: 'schemas-as-people-write-them', args: ['--min-threads', '2', '--max-threads', '2'] });
const warnings = (tool: string) => service.records.filter((record) => record.kind === 'schema-warning' && record['tool'] === tool);

/** Sends the input as it is written, so that keys like __proto__ stay keys. */
const send = (tool: string, input: string) => service.invoke(JSON.stringify(toolCall(tool, '@')).replace('"@"', input));
const takes = async (t: Test, tool: string, input: string): Promise<void> => { t.strictSame(outputOf(await send(tool, input)), JSON.parse(input), `${tool} takes ${input}`); };
const refuses = async (t: Test, tool: string, input: string): Promise<void> => { failsWith(t, await send(tool, input), 'input-validation-failed', `${tool} refuses ${input}`); };

t.test('a keyword or format that is not known is warned about, and served', async (t) => {
  await takes(t, 'unknown-keyword', '{"a":1}');
  await refuses(t, 'unknown-keyword', '{"a":"1"}');
  await takes(t, 'unknown-format', '{"phone":"anything"}');
  await refuses(t, 'unknown-format', '{"phone":7}');
  for (const [tool, named] of [['unknown-keyword', 'x-widget'], ['unknown-keyword', 'colour'], ['unknown-format', 'phone-number'], ['unknown-format-again', 'phone-number']] as const) {
    t.equal(warnings(tool).filter((record) => JSON.stringify(record).includes(named)).length, 1, `one warning of ${tool} about ${named}`);
  }
  for (const record of warnings('unknown-format')) t.match(record, { level: 'warn', severity: 'WARN', event: 'schema-warning' });
});

t.test('a schema of draft-07 is warned about, and served', async (t) => {
  await takes(t, 'draft-07', '{"name":"x"}');
  await refuses(t, 'draft-07', '{"name":7}');
  t.ok(warnings('draft-07').length > 0);
});

t.test('a pattern that only holds without the u flag is warned about, and judges', async (t) => {
  await takes(t, 'escaped-hyphen', '{"code":"12-34"}');
  await refuses(t, 'escaped-hyphen', '{"code":"1234"}');
  t.ok(warnings('escaped-hyphen').length > 0);
});

t.test('two tools may use one $id, each for a schema of its own', async (t) => {
  await takes(t, 'same-id-a', '{"a":"x"}');
  await refuses(t, 'same-id-a', '{"a":1}');
  await takes(t, 'same-id-b', '{"a":1}');
  await refuses(t, 'same-id-b', '{"a":"x"}');
});

t.test('what draft 2020-12 knows judges, without a warning', async (t) => {
  await takes(t, 'plain', '{"pair":["a",1],"mail":"a@example.com"}');
  for (const input of ['{"pair":["a","b"],"mail":"a@example.com"}', '{"pair":["a",1,2],"mail":"a@example.com"}', '{"pair":["a",1]}', '{"mail":"nobody"}', '{"more":1}']) await refuses(t, 'plain', input);
  await takes(t, 'anything', '"any JSON at all"');
  t.strictSame(warnings('plain'), []);
  t.strictSame(warnings('anything'), []);
});

t.test('a value is judged by the properties of its own, not by those every object has', async (t) => {
  await refuses(t, 'inherited-names', '{}');
  await takes(t, 'inherited-names', '{"toString":1}');
  await takes(t, 'own-properties', '{}');
  await takes(t, 'own-properties', '{"constructor":"x","hasOwnProperty":1}');
  await refuses(t, 'own-properties', '{"constructor":1}');
  await refuses(t, 'own-properties', '{"hasOwnProperty":"x"}');
  await refuses(t, 'own-properties', '{"toString":"x"}');
  await refuses(t, 'own-properties', '{"__proto__":1}');
  await refuses(t, 'closed', '{"__proto__":{}}');
  await refuses(t, 'closed', '{"constructor":1}');
});

t.test('schemas that do not compile end the start, each by the name of its tool or check', async (t) => {
  const broken = (id: string, more: Record<string, unknown>): Record<string, unknown> => toolEntry(id, 'tool.mjs', more);
  const index = indexOf({
    tools: [
      broken('no-such-type', { input: { type: 'no-such-type' } }),
      broken('in-the-output', { output: { type: 'no-such-type' } }),
      broken('no-such-ref', { input: { $ref: '#/$defs/nowhere' } }),
      broken('remote-ref', { input: { $ref: 'https://example.com/schema.json' } }),
      broken('bad-pattern', { input: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } }),
      broken('bad-limit', { input: { type: 'object', minProperties: -1 } }),
      broken('bad-required', { input: { type: 'object', required: 'name' } }),
      broken('sound', {}),
    ],
    guardrails: [guardrailEntry('bad-config', 'check.mjs', { configSchema: { type: 'no-such-type' } })],
  });
  const problems = await problemsOf(t, 'boot-failed', { pack: temporaryPack(t, index, { 'tool.mjs': answeringModule, 'check.mjs': passingModule }) });
  for (const id of ['no-such-type', 'in-the-output', 'no-such-ref', 'remote-ref', 'bad-pattern', 'bad-limit', 'bad-required', 'bad-config']) problemNaming(t, problems, id);
  t.notOk(problems.some((problem) => problem.includes('"sound"')));
});
