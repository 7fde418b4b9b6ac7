import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Envelope, EnvelopeReader } from '../../src/protocol/envelope.js';

/** Reads a text in pieces of the given sizes, the last as long as it takes. */
function read(text: string, sizes: readonly number[] = []): Envelope {
  const reader = new EnvelopeReader();
  let rest = Buffer.from(text);
  for (const size of sizes) {
    reader.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  reader.push(rest);
  return reader.envelope();
}

/** The same by parsing, as the worker does it. */
function parsed(text: string): Envelope {
  const message = fieldsOf(JSON.parse(text));
  const target = message['kind'] === 'invoke' ? 'tool' : message['kind'] === 'check-invoke' ? 'check' : undefined;
  const named = target === undefined ? {} : fieldsOf(message[target]);
  const ids = fieldsOf(message[target === 'check' ? 'trace' : 'ctx']);
  const text1 = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    target,
    id: text1(named['id']),
    version: text1(named['version']),
    ids: {
      tenantId: text1(ids['tenantId']), runId: text1(ids['runId']), requestId: text1(ids['requestId']),
      projectId: text1(ids['projectId']), orgId: text1(ids['orgId']),
    },
  };
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (Object.assign(Object.create(null), value) as Record<string, unknown>) : {};

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.constantFrom('"', '\\', '\\"', '{"id":"x"}', 'é😀', '\u0000\u2028'));
const anything = fc.jsonValue({ maxDepth: 3 });
const named = fc.oneof(anything, fc.record({ id: fc.oneof(text, anything), version: fc.oneof(text, anything), more: anything }, { requiredKeys: [] }));
const ids = fc.oneof(anything, fc.record({ tenantId: text, runId: text, requestId: text, projectId: text, orgId: text, env: anything }, { requiredKeys: [] }));
const message = fc.record(
  { kind: fc.oneof(fc.constantFrom('invoke', 'check-invoke'), anything), tool: named, check: named, ctx: ids, trace: ids, input: anything, config: anything, v: anything },
  { requiredKeys: [] },
);

t.test('read from its bytes, in whatever pieces they come, an envelope is what parsing the message gives', async () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: anything }), fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 2 }), (value, sizes, indent) => {
      const json = JSON.stringify(value, null, indent);
      assert.deepEqual(read(json, sizes), parsed(json));
    }),
    { numRuns: 2000 },
  );
});

t.test('of two equal keys the last wins, as in JSON.parse', async (t) => {
  for (const json of [
    '{"kind":"invoke","tool":{"id":"a"},"tool":{"id":"b"}}',
    '{"kind":"invoke","tool":{"id":"a","id":"b"}}',
    '{"kind":"invoke","tool":{"id":"a"},"tool":7}',
    '{"kind":"check-invoke","kind":"invoke","tool":{"id":"a"},"check":{"id":"c"}}',
    '{"kind":"invoke","kind":{"kind":"check-invoke"},"tool":{"id":"a"}}',
    '{"kind":"invoke","t\\u006fol":{"i\\u0064":"a\\u0062"}}',
  ]) t.strictSame(read(json), parsed(json), json);
});

t.test('what is no message, or only the beginning of one, is read as far as it goes', async (t) => {
  t.equal(read('{"kind":"invoke","tool":{"id":"a"},"input":{"text":"cut off he').id, 'a');
  for (const bytes of ['', '}}]]', '{"kind":', '"\\', '{"kind":"invoke","tool":{"id":"']) t.equal(read(bytes).id, undefined, bytes);
});

t.test('an id of a megabyte is cut', async (t) => {
  const { id } = read(`{"kind":"invoke","tool":{"id":"${'x'.repeat(1_000_000)}"}}`, [100, 1000, 100_000]);
  t.equal(id, 'x'.repeat(1024));
});
