import t from 'tap';
import { errorOf, outputOf } from '../answers.js';
import { type LogRecord, serve } from '../running-service.js';

const service = await serve(t, { pack: 'prints-and-logs' });
const print = '"v":2,"kind":"invoke","tool":{"id":"print"}';
let calls = 0;

/** Sends a message as it is written and answers its call record; the message has `@` where its request id goes. */
async function recordOf(message: string): Promise<LogRecord> {
  const requestId = `request-${(calls += 1)}`;
  const answer = await service.invoke(message.replace('@', requestId));
  if (answer.body.kind === 'result') outputOf(answer);
  else errorOf(answer);
  return service.recorded('call', (record) => record['requestId'] === requestId);
}

t.test('a record has the ids of its message wherever they stand in it', async (t) => {
  const expected = { toolId: 'print', tenantId: 'tenant-1', runId: 'run-1', projectId: 'project-1', orgId: 'org-1', outcome: 'ok' };
  const ctx = '"ctx":{"tenantId":"tenant-1","runId":"run-1","requestId":"@","projectId":"project-1","orgId":"org-1"}';
  const decoy = '{"tool":{"id":"decoy"},"ctx":{"tenantId":"decoy","requestId":"decoy"},"tenantId":"decoy","text":"\\"ctx\\":{\\"tenantId\\":\\"decoy\\"}}]"}';
  const messages = {
    'in the usual order': `{${print},"input":{},${ctx}}`,
    'the context first': `{${ctx},"input":{},${print}}`,
    'after a large input': `{"input":{"text":"${'}]{["'.replaceAll('"', '\\"').repeat(200_000)}"},${print},${ctx}}`,
    'beside an input that looks like a message': `{${print},"input":${decoy},${ctx}}`,
    'beside fields that look like a message': `{"later":${decoy},${print},"input":{},${ctx.replace('{', `{"later":${decoy},`)}}`,
    'with white space': `\n{ ${print.replaceAll(':', ' :\t')} ,\r\n "input" : { } , ${ctx.replaceAll(',', ' ,\n')} } \n`,
    'with escaped names': `{${print.replace('tool', '\\u0074ool')},"input":{},${ctx.replace('tenantId', 'tenant\\u0049d').replace('ctx', '\\u0063tx')}}`,
    'with names given twice, of which the last counts': `{"tool":{"id":"decoy"},"ctx":{"tenantId":"decoy","runId":"decoy"},${print},"input":{},${ctx.replace('{', '{"tenantId":"decoy",')}}`,
  };
  for (const [how, message] of Object.entries(messages)) t.match(await recordOf(message), expected, how);
});

t.test('an id of any characters is recorded as it was sent', async (t) => {
  const ids = ['漢字 😀', 'quote " backslash \\ slash /', 'line\nend\r\t', '\u0000\u001b[31m', '{"level":"fatal"}', 'x'.repeat(500)];
  for (const tenantId of ids) {
    const record = await recordOf(`{${print},"input":{},"ctx":{"tenantId":${JSON.stringify(tenantId)},"runId":"r","requestId":"@"}}`);
    t.equal(record['tenantId'], tenantId);
  }
  const escaped = ids.map((id) => JSON.stringify(id).replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`));
  for (const [at, tenantId] of escaped.entries()) {
    const record = await recordOf(`{${print},"input":{},"ctx":{"tenantId":${tenantId},"runId":"r","requestId":"@"}}`);
    t.equal(record['tenantId'], ids[at]);
  }
});

t.test('ids that are no text, and a context that is none, do not end up in a record as something else', async (t) => {
  const record = await recordOf(`{${print},"input":{},"ctx":{"tenantId":"t","runId":"r","requestId":"@","projectId":7,"orgId":{"tenantId":"decoy"}}}`);
  t.match(record, { tenantId: 't', runId: 'r', outcome: 'ok' });
  t.notMatch(JSON.stringify(record), /decoy/);
});

t.test('what is no message is answered, and never recorded as a call that went well', async (t) => {
  const before = service.records.length;
  for (const message of ['{"tool":{"id":"print"', `{${print},"ctx":{"tenantId":"unfinished`, '{"ctx":[[[[', '"\\ud8', '{"tool":"\\', '{,}', '{"tool":{"id":"print"}} trailing', '\\']) {
    t.equal(errorOf(await service.invoke(message)).code, 'malformed-message', message);
  }
  for (const record of service.records.slice(before)) t.not(record['outcome'], 'ok');
});
