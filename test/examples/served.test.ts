import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkCall, ids, serve, toolCall, until } from '../running-service.js';
import { examplePack } from './example-pack.js';

const trace = (output: string) => ({ trace: { ...ids, output, toolCalls: [], toolResults: [], modelCalls: [], mode: 'runtime' } });

/** A web server of the test's own; answers its address. */
async function website(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>New</title><p>Moved here.</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const service = await serve(t, { pack: examplePack });

t.test('every tool and every check answers over HTTP', async (t) => {
  const permissive = await serve(t, { pack: examplePack, env: { FETCH_PAGE_ALLOW_PRIVATE_ADDRESSES: 'yes' } });
  const site = await website(t);
  const tools: Record<string, { input: unknown; output: unknown }> = {
    'example.csv-summary': {
      input: { csv: 'a,b\n1,x\n3\n' },
      output: {
        rowCount: 2,
        columns: [
          { name: 'a', kind: 'number', count: 2, missing: 0, distinct: 2, minimum: 1, maximum: 3, mean: 2 },
          { name: 'b', kind: 'text', count: 1, missing: 1, distinct: 1 },
        ],
        raggedRowCount: 1,
        raggedRows: [{ line: 3, cells: 1 }],
      },
    },
    'example.redact-personal-data': {
      input: { text: 'Pay DE89 3704 0044 0532 0130 00, says ann@example.com.' },
      output: { text: 'Pay [iban], says [email].', counts: { email: 1, iban: 1, 'credit-card': 0, ipv4: 0, phone: 0 } },
    },
    'example.extract-citations': {
      input: { text: 'As [1] says.' },
      output: {
        citations: [{ kind: 'number', text: '[1]', value: '1', start: 3, end: 6 }],
        counts: { number: 1, 'author-year': 0, doi: 0, url: 0 },
        distinct: 1,
        truncated: false,
      },
    },
    'example.fetch-page': {
      input: { url: `${site}/old` },
      output: { url: `${site}/new`, title: 'New', text: 'Moved here.', contentType: 'text/html', charset: 'utf-8', bytes: 36, truncated: false, redirects: 1 },
    },
    'example.slow-report': {
      input: { sectionMs: 1 },
      output: { finished: true, done: ['summary', 'findings', 'outlook'], remaining: [] },
    },
  };
  const checks: Record<string, { passing: string; failing: string }> = {
    'example.answer-cites-sources': { passing: 'The sea rises twice a day in most places [1].', failing: 'The sea rises twice a day in most places.' },
    'example.no-personal-data': { passing: 'All is well.', failing: 'Ask ann@example.com.' },
  };

  const index = JSON.parse(await readFile(join(examplePack, 'index.json'), 'utf8')) as Record<'tools' | 'guardrails', { id: string; checkId?: string }[]>;
  t.same(Object.keys(tools).sort(), index.tools.map(({ id }) => id), 'no tool is left out');
  t.same(Object.keys(checks).sort(), index.guardrails.map(({ checkId }) => checkId), 'no check is left out');

  for (const [id, { input, output }] of Object.entries(tools)) {
    const { status, body } = await permissive.invoke(toolCall(id, input));
    t.same({ status, body }, { status: 200, body: { v: 2, kind: 'result', output } }, id);
  }
  for (const [id, { passing, failing }] of Object.entries(checks)) {
    t.match((await permissive.invoke(checkCall(id, {}, trace(passing)))).body, { kind: 'check-result', result: { passed: true } }, id);
    t.match((await permissive.invoke(checkCall(id, {}, trace(failing)))).body, { kind: 'check-result', result: { passed: false, reason: /\w/ } }, id);
  }
});

t.test('inputs and configs outside of the schemas are refused before any code runs', async (t) => {
  const refused = [
    toolCall('example.csv-summary', { csv: '' }),
    toolCall('example.csv-summary', { csv: 'a', delimiter: ':' }),
    toolCall('example.redact-personal-data', { text: 'a', kinds: ['name'] }),
    toolCall('example.extract-citations', { text: 'a', maximum: 0 }),
    toolCall('example.fetch-page', { url: 'file:///etc/passwd' }),
    toolCall('example.slow-report', { sections: [] }),
    toolCall('example.slow-report', { section: 'one' }),
    checkCall('example.answer-cites-sources', { minimumCitations: -1 }),
    checkCall('example.no-personal-data', { allowed: ['name'] }),
  ];
  for (const message of refused) t.match((await service.invoke(message)).body, { kind: 'error', code: 'input-validation-failed' }, JSON.stringify(message));
});

t.test('the guardrails’ own configs fit their schemas', async (t) => {
  const { guardrails } = JSON.parse(await readFile(join(examplePack, 'index.json'), 'utf8')) as { guardrails: { checkId: string; config: unknown }[] };
  for (const { checkId, config } of guardrails) t.match((await service.invoke(checkCall(checkId, config))).body, { kind: 'check-result' }, checkId);
});

t.test('a page on this machine is fetched only where the operator allows it', async (t) => {
  const site = await website(t);
  const { body } = await service.invoke(toolCall('example.fetch-page', { url: site }));
  t.match(body, { kind: 'error', code: 'handler-throw', cause: { name: 'AddressRefused', code: 'ADDRESS_REFUSED' } });
});

t.test('a report past its deadline is answered at once, stops, and says what was done', async (t) => {
  const sections = Array.from({ length: 50 }, (_, position) => `section ${position + 1}`);
  const answer = await service.invoke(toolCall('example.slow-report', { sections, sectionMs: 400 }), { 'kindgi-timeout-ms': '1000' });
  t.match(answer.body, { kind: 'error', code: 'deadline-exceeded' });
  t.ok(answer.elapsedMs < 10_000, 'long before the report would end');

  const record = await until(() => service.records.find(({ message }) => message === 'report stopped'), 'its last words');
  t.match(record, { subsystem: 'pack.tool', level: 'warn', toolId: 'example.slow-report', done: Array, remaining: Array });
  t.same([record['done'], record['remaining']].flat(), sections, 'every section is either done or not');
  t.match((await service.invoke(toolCall('example.slow-report', { sectionMs: 0 }))).body, { kind: 'result', output: { finished: true } });
});
