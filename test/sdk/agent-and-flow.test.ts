import t from 'tap';
import { z } from 'zod';
import { agent, flow, guardrail, tool } from '../../src/sdk/index.js';
import { problemsOf } from './problems-of.js';

const echo = tool({ id: 'acme.echo', version: '1.2.0', description: 'Echoes.', input: true, output: true, handler: (input) => input });
const unversioned = tool({ id: 'acme.time', description: 'Tells the time.', input: true, output: true, handler: () => 0 });
const short = guardrail({ id: 'acme.short', onViolation: 'halt', check: () => true });

const anAgent = { id: 'acme.clerk', version: '1.0.0', name: 'Clerk', instructions: 'Be brief.' };

t.test('an agent is data: tools and guardrails become references', async (t) => {
  const made = agent({ ...anAgent, tools: [echo, unversioned, { id: 'other.search', version: '^2.1.0' }], guardrails: [short, 'other.polite'], output: z.object({ text: z.string() }), parallelToolCalls: true });
  t.strictSame(JSON.parse(JSON.stringify(made)), {
    ...anAgent,
    capabilities: [],
    parallelToolCalls: true,
    tools: [{ id: 'acme.echo', version: '1.2.0' }, { id: 'acme.time', version: '*' }, { id: 'other.search', version: '^2.1.0' }],
    guardrails: ['acme.short', 'other.polite'],
    output: { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false } },
  });
  const inFull = { schema: { type: 'string' }, name: 'answer', maxRepairs: 2 } as const;
  t.strictSame(agent({ ...anAgent, output: inFull }).output, inFull);
});

t.test('an agent is refused by the place of each problem', async (t) => {
  const wrong: readonly [changes: object, place: RegExp][] = [
    [{ version: '^1.0.0' }, /^version /],
    [{ name: '' }, /^name /],
    [{ instructions: undefined }, /^instructions /],
    [{ instructions: { prompt: 'acme.intake', version: 'latest' } }, /^instructions\.version /],
    [{ tools: [{ id: 'acme.echo' }] }, /^tools\[0\]\.version /],
    [{ tools: [echo, { id: 'acme.other', version: '>=1 <' }] }, /^tools\[1\]\.version /],
    [{ tools: [echo, echo] }, /^tools\[1\] /],
    [{ guardrails: [{}] }, /^guardrails\[0\]\.id /],
    [{ settings: [{ id: 'acme.weights', version: 1 }] }, /^settings\[0\]\.version /],
    [{ output: { schema: 'text' } }, /^output\.schema /],
    [{ output: { schema: true, maxRepairs: -1 } }, /^output\.maxRepairs /],
    [{ tags: 'fast' }, /^tags /],
    [{ tool: [] }, /^tool /],
  ];
  for (const [changes, place] of wrong) {
    const problems = problemsOf(() => agent({ ...anAgent, ...changes }));
    t.equal(problems.length, 1, `${JSON.stringify(changes)}: ${problems.join('; ')}`);
    t.match(problems[0], place);
  }
});

t.test('version ranges are those of npm', async (t) => {
  const accepts = (version: string): boolean => problemsOf(() => agent({ ...anAgent, tools: [{ id: 'acme.echo', version }] })).length === 0;
  for (const range of ['1.2.3', '^1.2.0', '~1.2', '1.x', '*', '>=1.2.0 <2.0.0', '1.0.0 - 1.4.0', '^1.0.0 || ^2.0.0-beta.1', '>= 1.2']) t.ok(accepts(range), range);
  for (const range of ['', 'latest', '1.2.3.4', '^', '1 ||', '=>1', 'file:..']) t.notOk(accepts(range), range);
});

const aFlow = {
  id: 'acme.report', version: '1.0.0',
  nodes: [{ id: 'read', kind: 'tool', ref: echo }, { id: 'write', kind: 'agent', ref: 'acme.clerk' }],
  edges: [{ id: 'e1', from: '$start', to: 'read' }, { id: 'e2', from: 'read', to: 'write', when: { ok: true } }, { id: 'e3', from: 'write', to: '$end' }],
} as const;

t.test('a flow is data: a tool becomes a reference', async (t) => {
  const made = flow({ ...aFlow, maxParallelism: 2 });
  t.strictSame(JSON.parse(JSON.stringify(made)), {
    ...aFlow, maxParallelism: 2, kernelPayloadVersion: 1,
    nodes: [{ id: 'read', kind: 'tool', ref: { id: 'acme.echo', version: '1.2.0' } }, aFlow.nodes[1]],
  });
});

t.test('a flow is refused by the place of each problem, its graph included', async (t) => {
  const { nodes, edges } = aFlow;
  const wrong: readonly [changes: object, place: RegExp][] = [
    [{ maxParallelism: 0 }, /^maxParallelism /],
    [{ nodes: [nodes[0], { id: 'write', kind: 'robot' }] }, /^nodes\[1\]\.kind /],
    [{ nodes: [nodes[0], { id: 'write', kind: 'agent' }] }, /^nodes\[1\]\.ref /],
    [{ nodes: [nodes[0], { ...nodes[1], input: {} }] }, /^nodes\[1\]\.input /],
    [{ edges: [...edges, { from: 'read', to: '$end' }] }, /^edges\[3\]\.id /],
    [{ nodes: [...nodes, nodes[0]] }, /^nodes\[2\]\.id /],
    [{ edges: [...edges, { ...edges[0] }] }, /^edges\[3\]\.id /],
    [{ edges: [...edges, { id: 'e4', from: 'read', to: 'print' }] }, /^edges\[3\]\.to .*print/],
    [{ edges: [...edges, { id: 'e4', from: 'print', to: 'read' }] }, /^edges\[3\]\.from .*print/],
    [{ edges: [...edges, { id: 'e4', from: '$end', to: 'read' }] }, /^edges\[3\]\.from /],
    [{ edges: [...edges, { id: 'e4', from: 'read', to: '$start' }] }, /^edges\[3\]\.to /],
    [{ nodes: [...nodes, { id: 'alone', kind: 'loop', body: [] }] }, /^nodes\[2\] "alone" /],
  ];
  for (const [changes, place] of wrong) {
    const problems = problemsOf(() => flow({ ...aFlow, ...changes }));
    t.equal(problems.length, 1, `${JSON.stringify(changes)}: ${problems.join('; ')}`);
    t.match(problems[0], place);
  }
});
