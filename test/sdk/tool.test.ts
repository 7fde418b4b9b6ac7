import t from 'tap';
import { z } from 'zod';
import { z as mini } from 'zod/mini';
import { contextForTest, DefinitionError, dumpOutput, guardrail, httpTool, isTool, parseInput, SchemaMismatch, tool } from '../../src/sdk/index.js';
import { problemsOf } from './problems-of.js';

const open = { type: 'object' } as const;
const valid = { id: 'acme.greet', description: 'Greets.', input: open, output: open, handler: () => ({}) };
const declare = (changes: object): readonly string[] => problemsOf(() => tool({ ...valid, ...changes }));

t.test('a tool is the data of its index entry, and its handler', async (t) => {
  const facts = { version: '1.2.3-beta.1+5', mutating: false, effects: [{ kind: 'reads' }], limits: { memMB: 64 }, network: { kind: 'allowlist', hosts: ['a.example'] }, storesFiles: true } as const;
  const made = tool({ ...valid, ...facts });
  t.strictSame(JSON.parse(JSON.stringify(made)), { ...facts, id: valid.id, description: valid.description, input: open, output: open });
  t.strictSame(await made.handler({}, contextForTest({ tool: made })), {});
  t.ok(isTool(made));
  t.notOk(isTool(valid));
});

t.test('a wrong declaration is refused where it is written, each problem by the name of its field', async (t) => {
  const wrong: readonly [changes: object, place: RegExp][] = [
    [{ id: '' }, /^id /],
    [{ id: undefined }, /^id /],
    [{ description: 5 }, /^description /],
    [{ version: '1.2' }, /^version /],
    [{ version: '01.2.3' }, /^version /],
    [{ input: 'object' }, /^input /],
    [{ output: undefined }, /^output /],
    [{ handler: {} }, /^handler /],
    [{ effects: [{}, 'x'] }, /^effects\[1\] /],
    [{ mutating: 'no' }, /^mutating /],
    [{ sandbox: 'tight' }, /^sandbox /],
    [{ limits: { memMB: 0 } }, /^limits\.memMB /],
    [{ limits: { memory: 1 } }, /^limits\.memory /],
    [{ network: { kind: 'allowlist' } }, /^network\.hosts /],
    [{ needsSpec: { env: { REGION: 'eu' } } }, /^needsSpec\.env\.REGION /],
    [{ needsSpec: { secret: {} } }, /^needsSpec\.secret /],
    [{ pauses: 1 }, /^pauses /],
    [{ handle: () => {} }, /^handle /],
  ];
  for (const [changes, place] of wrong) {
    const problems = declare(changes);
    t.equal(problems.length, 1, JSON.stringify(changes));
    t.match(problems[0], place);
  }
  t.equal(declare({ id: 7, version: 'one', handler: null }).length, 3, 'all at once');
  t.throws(() => tool(undefined as unknown as typeof valid), DefinitionError);
  t.throws(() => tool({ ...valid, version: 'x' }), /acme\.greet/, 'the message names the tool');
});

t.test('a Standard Schema is kept, beside the JSON Schema that goes into the index', async (t) => {
  const input = z.object({ year: z.string().transform(Number), era: z.string().default('ad') });
  const made = tool({ ...valid, input, output: z.object({ text: z.string() }), handler: () => ({ text: '' }) });
  t.match(made.input, { type: 'object', required: ['year'], properties: { year: { type: 'string' }, era: { default: 'ad' } } });
  t.match(made.output, { type: 'object', required: ['text'] });
  t.equal(made.inputZod, input);
  t.strictSame(await parseInput(made, { year: '5' }), { year: 5, era: 'ad' });
  await t.rejects(parseInput(made, { year: 5 }), SchemaMismatch);
});

t.test('a schema that cannot be JSON Schema is refused by its field', async (t) => {
  t.match(declare({ output: z.object({ at: z.date() }) }), [/^output /]);
  t.match(declare({ input: mini.object({}) }), [/^input .*zod/]);
  const bare = { '~standard': { version: 1, vendor: 'other', validate: (value: unknown) => ({ value }) } };
  t.match(declare({ input: bare }), [/^input .*other/]);
});

t.test('an output has its JSON form', async (t) => {
  t.strictSame(dumpOutput({ at: new Date(0), gone: undefined }), { at: '1970-01-01T00:00:00.000Z' });
  t.equal(dumpOutput(undefined), null);
});

const request = { id: 'acme.order', description: 'Reads an order.', input: { type: 'object', properties: { id: { type: 'string' } } }, output: open, method: 'GET', urlTemplate: 'https://api.example.com/orders/{id}' } as const;

t.test('an HTTP tool is data alone: its request is the spec', async (t) => {
  const authorization = { kind: 'bearer', secretRef: { envName: 'local', name: 'TOKEN' } } as const;
  const made = httpTool({ ...request, authorization, successStatus: [200, 204], mutating: false });
  t.strictSame(JSON.parse(JSON.stringify(made)), {
    id: request.id, description: request.description, input: request.input, output: open, mutating: false,
    spec: { kind: 'http', method: 'GET', urlTemplate: request.urlTemplate, authorization, successStatus: [200, 204] },
  });
  t.ok(isTool(made));
});

t.test('a wrong request is refused by its field', async (t) => {
  const wrong: readonly [changes: object, place: RegExp][] = [
    [{ method: 'FETCH' }, /^method /],
    [{ urlTemplate: 'ftp://example.com' }, /^urlTemplate /],
    [{ urlTemplate: 'https://{id}.example.com/' }, /^urlTemplate /],
    [{ urlTemplate: 'https://user:{id}@example.com/' }, /^urlTemplate /],
    [{ urlTemplate: 'https://example.com/{name}' }, /^urlTemplate .*\{name\}/],
    [{ headers: { 'x-a': 1 } }, /^headers\.x-a /],
    [{ headers: { 'x a': 'b' } }, /^headers\.x a /],
    [{ authorization: { kind: 'basic' } }, /^authorization/],
    [{ requestBody: { kind: 'json-input' } }, /^requestBody/],
    [{ method: 'POST', requestBody: { kind: 'text' } }, /^requestBody\.template /],
    [{ method: 'POST', requestBody: { kind: 'text', template: '{name}' } }, /^requestBody\.template .*\{name\}/],
    [{ timeoutMs: 0 }, /^timeoutMs /],
    [{ successStatus: [300, 200] }, /^successStatus /],
    [{ handler: () => {} }, /^handler /],
  ];
  for (const [changes, place] of wrong) {
    const problems = problemsOf(() => httpTool({ ...request, ...changes }));
    t.ok(problems.some((problem) => place.test(problem)), `${JSON.stringify(changes)}: ${problems.join('; ')}`);
  }
});

t.test('a check of the same file is no tool', async (t) => {
  t.notOk(isTool(guardrail({ id: 'acme.any', onViolation: 'halt', check: () => true })));
});
