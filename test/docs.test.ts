/** What the README and the docs say in tables and messages is put to a running service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { callsRefused, eventForms, recordsLost } from '../src/logging/record-forms.js';
import { packEnvironment } from '../src/packs/environment.js';
import type { IndexFile } from '../src/packs/index-file.js';
import { errorCodes } from '../src/protocol/errors.js';
import { parseRequest } from '../src/protocol/parse-request.js';
import { type HttpAnswer, projectRoot, serve, toolCall } from './running-service.js';
import { answeringModule, indexOf, temporaryPack, toolEntry } from './temporary-pack.js';

// Many of the outcomes cost a thread.
t.setTimeout(300_000);

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

/** The cells of every table row, without code marks. */
function rowsOf(markdown: string): string[][] {
  const rows = [...markdown.matchAll(/^\|( .*)\|$/gm)].map(([, row = '']) => row.split(' |').map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')));
  return rows.filter(([first = '']) => !first.startsWith('---'));
}

interface Outcome {
  readonly body: string;
  /** An output as JSON, or an error code. */
  readonly answer: string;
  /** JSON that the error's cause, or its first issue, has. */
  readonly says: string;
}

const protocol = read('docs/protocol.md');
const outcomes = rowsOf(/<!-- outcomes: [^\n]* -->\n(.*?)<!-- \/outcomes -->/s.exec(protocol)?.[1] ?? '')
  .slice(1)
  .map(([body = '', answer = '', says = '']): Outcome => ({ body, answer, says }));

t.test('every outcome in docs/protocol.md is what a handler with that body comes to', async (t) => {
  t.ok(outcomes.length > 30, 'the table is read');
  const module = `export default [${outcomes.map(({ body }) => `async () => { ${body} }`).join(',\n')}];\n`;
  const names = outcomes.map((_, at) => `t${at}`);
  const pack = temporaryPack(t, indexOf({ tools: names.map((id) => toolEntry(id, `${id}.mjs`, { output: true })) }), {
    'bodies.mjs': module,
    ...Object.fromEntries(names.map((id, at) => [`${id}.mjs`, `import bodies from './bodies.mjs';\nexport const handler = bodies[${at}];\n`])),
  });
  const service = await serve(t, { pack, args: ['--min-threads', '2', '--grace', '100'] });
  for (const [at, { body, answer, says }] of outcomes.entries()) {
    const deadline = answer === 'deadline-exceeded' ? { 'kindgi-timeout-ms': '300' } : {};
    const { body: message } = await service.invoke(toolCall(`t${at}`), deadline);
    if (!(answer in errorCodes)) {
      t.strictSame(message, { v: 2, kind: 'result', output: JSON.parse(answer) as unknown }, body);
      continue;
    }
    t.equal(message.code, answer, body);
    if (says !== '') t.match(message.issues?.[0] ?? message.cause, JSON.parse(says), `${body} says ${says}`);
  }
  const late = await service.recorded('late-fault');
  t.match(late, { fault: 'exit', toolId: `t${outcomes.findIndex(({ answer }) => answer === '"done"')}` }, 'an exit after the answer is a record of its own');
});

t.test('the messages in docs/protocol.md are messages', async (t) => {
  const messages = [...protocol.matchAll(/^```json\n(\{"v":2.*)\n```$/gm)].map(([, text = '']) => JSON.parse(text) as { kind: string; code?: string });
  t.strictSame(messages.map(({ kind }) => kind), ['invoke', 'result', 'pause', 'check-invoke', 'check-result', 'error']);
  for (const message of messages) {
    if (message.kind.endsWith('invoke')) t.equal(parseRequest(message).kind, 'ok', message.kind);
    if (message.code !== undefined) t.ok(message.code in errorCodes, message.code);
  }
});

t.test('the statuses in the README are those of the service, but for a failure of its own', async (t) => {
  const pack = temporaryPack(t, indexOf({ tools: [toolEntry('acme.answers', 'answers.mjs')] }), { 'answers.mjs': answeringModule });
  const service = await serve(t, { pack, args: ['--max-body', '1000'] });
  const wanting = temporaryPack(t, indexOf({ env: { required: ['WANTED'], optional: [] } }));
  const unready = await serve(t, { pack: wanting });
  const call = toolCall('acme.answers');
  const answers: HttpAnswer[] = [
    await service.invoke(call),
    await service.invoke(call, {}, { token: 'wrong' }),
    await service.get('/nowhere'),
    await service.get('/v1/invoke'),
    await service.invoke('x'.repeat(1001)),
    await service.invoke(call, { 'content-type': 'text/plain' }),
    await unready.invoke(call),
  ];
  const listed = rowsOf(read('README.md')).flatMap(([first = '']) => (/^\d{3}$/.test(first) ? [Number(first)] : []));
  t.strictSame(answers.map(({ status }) => status), listed.filter((status) => status !== 500));
});

t.test('docs/operations.md lists every record with its level, and first those that are always written', async (t) => {
  const forms = { ...eventForms, [callsRefused.name]: callsRefused, [recordsLost.name]: recordsLost };
  const records = Object.entries(forms).flatMap(([kind, form]) => (form === undefined ? [] : [{ name: kind, isAlwaysWritten: false, ...form }]));
  const table = rowsOf(/## Records(.*?)\n## /s.exec(read('docs/operations.md'))?.[1] ?? '').slice(1);
  const listed = table.map(([name]) => name);
  t.strictSame([...listed].sort(), records.map(({ name }) => name).sort());
  const always = records.filter(({ isAlwaysWritten }) => isAlwaysWritten).map(({ name }) => name);
  t.strictSame(listed.slice(0, always.length).sort(), always.sort());
  for (const { name, level } of records) if (typeof level === 'string') t.equal(table.find(([each]) => each === name)?.[1], level, name);
});

t.test('the platform names in docs/operations.md are those that reach pack code', async (t) => {
  const listed = /<!-- platform names: [^\n]* -->\n```text\n(.*?)```/s.exec(read('docs/operations.md'))?.[1]?.trim().split(/\s+/) ?? [];
  const source = read('src/packs/environment.ts');
  const names = /platformNames = new Set\(\s*`([^`]+)`/.exec(source)?.[1]?.split(/\s+/) ?? [];
  const prefixes = [...(/platformPrefixes = \[([^\]]+)\]/.exec(source)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, prefix]) => `${prefix}*`);
  t.strictSame([...listed].sort(), [...names, ...prefixes].sort());

  const index: IndexFile = { v: 1, packId: 'p', packVersion: '1', artifactVersion: '1', publishedAt: '', tools: [], guardrails: [] };
  const given = Object.fromEntries([...listed.map((name) => name.replace('*', 'ANYTHING')), 'SOME_OTHER_NAME'].map((name) => [name, 'x']));
  t.strictSame(packEnvironment(given, index, 'on').dropped, ['SOME_OTHER_NAME']);
});
