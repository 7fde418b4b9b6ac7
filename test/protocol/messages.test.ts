import t from 'tap';
import { errorOf, failsWith, outputOf, verdictOf } from '../answers.js';
import { checkCall, ids, serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'answers-plainly' });
const echo = toolCall('echo', { text: 'x' });
const check = checkCall('always-passes');

t.test('a body that is not a JSON object is a malformed message', async (t) => {
  for (const body of ['', ' ', '{ nope', '{"v":2', `${JSON.stringify(echo)},`, '[]', '[{"v":2}]', '7', 'null', 'true', '"text"', 'undefined', "{'v':2}", 'NaN']) {
    failsWith(t, await service.invoke(body), 'malformed-message', JSON.stringify(body));
  }
});

t.test('any version but 2 is unknown, whatever else is wrong', async (t) => {
  for (const v of [1, 3, 2.1, '2', null, true, [2], undefined]) failsWith(t, await service.invoke({ ...echo, v, kind: 'bogus' }), 'unknown-protocol-version', JSON.stringify(v));
  failsWith(t, await service.invoke('{}'), 'unknown-protocol-version');
  failsWith(t, await service.invoke('{"__proto__":{"v":2,"kind":"invoke"}}'), 'unknown-protocol-version', 'an inherited version is none');
});

t.test('any kind but the two requests is unexpected, whatever else is missing', async (t) => {
  for (const kind of ['bogus', 'result', 'check-result', 'error', 'INVOKE', '', 'toString', 7, null, undefined]) {
    failsWith(t, await service.invoke({ v: 2, kind }), 'unexpected-message-kind', JSON.stringify(kind));
  }
});

t.test('an invoke without a tool id, or with a version or context that is none, is malformed', async (t) => {
  const tools = [undefined, null, 'echo', [], {}, { id: '' }, { id: 7 }, { id: ['echo'] }, { id: 'echo', version: 1 }, { id: 'echo', version: null }];
  for (const tool of tools) failsWith(t, await service.invoke({ ...echo, tool }), 'malformed-message', `tool ${JSON.stringify(tool)}`);
  const contexts = [undefined, null, 'ctx', [], {}, { tenantId: 't' }, { runId: 'r' }, { tenantId: 1, runId: 'r' }, { tenantId: 't', runId: null }];
  for (const ctx of contexts) failsWith(t, await service.invoke({ ...echo, ctx }), 'malformed-message', `ctx ${JSON.stringify(ctx)}`);
});

t.test('a check-invoke without a check id or a config is malformed', async (t) => {
  for (const id of [undefined, null, '', 7, {}]) failsWith(t, await service.invoke({ ...check, check: { id } }), 'malformed-message', `id ${JSON.stringify(id)}`);
  failsWith(t, await service.invoke({ ...check, check: undefined }), 'malformed-message');
  for (const config of [undefined, null, 'config', 7, []]) failsWith(t, await service.invoke({ ...check, config }), 'malformed-message', `config ${JSON.stringify(config)}`);
});

t.test('fields of later versions are ignored', async (t) => {
  const more = { later: { deep: [1, 2, 3] }, priority: 'high' };
  t.same(outputOf(await service.invoke({ ...echo, ...more, tool: { id: 'echo', ...more }, ctx: { ...ids, ...more } })), { text: 'x' });
  t.same(verdictOf(await service.invoke({ ...check, ...more, check: { id: 'always-passes', ...more } })), { passed: true });
});

t.test('an error about a tool or a check names it, and an error about neither names none', async (t) => {
  const unknownTool = failsWith(t, await service.invoke(toolCall('nowhere')), 'tool-not-in-pack');
  t.strictSame([unknownTool['toolId'], unknownTool['checkId']], ['nowhere', undefined]);
  const unknownCheck = failsWith(t, await service.invoke(checkCall('nowhere')), 'check-not-in-pack');
  t.strictSame([unknownCheck['toolId'], unknownCheck['checkId']], [undefined, 'nowhere']);
  const malformed = errorOf(await service.invoke('{ nope'));
  t.strictSame([malformed['toolId'], malformed['checkId']], [undefined, undefined]);
});

t.test('an id that every object has is in no pack', async (t) => {
  for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'echo ', 'Echo', 'echo@1.0.0']) {
    failsWith(t, await service.invoke(toolCall(id)), 'tool-not-in-pack', id);
    failsWith(t, await service.invoke(checkCall(id)), 'check-not-in-pack', id);
  }
});

t.test('a tool is no check and a check no tool', async (t) => {
  failsWith(t, await service.invoke(checkCall('echo')), 'check-not-in-pack');
  failsWith(t, await service.invoke(toolCall('always-passes')), 'tool-not-in-pack');
});

t.test('brackets nested a hundred thousand deep are answered like any other fault', async (t) => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const code = errorOf(await service.invoke(JSON.stringify(echo).replace('{"text":"x"}', deep))).code;
  t.ok(['input-validation-failed', 'malformed-message'].includes(code), code);
  t.ok(['unknown-protocol-version', 'malformed-message'].includes(errorOf(await service.invoke(`{"deep":${deep}}`)).code));
  t.same(outputOf(await service.invoke(echo)), { text: 'x' });
});
