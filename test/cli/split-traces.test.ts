import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Piece, splitArray, splitLines } from '../../src/cli/check/split-traces.js';

/** A text in chunks of the given sizes, over and over. */
async function* chunked(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function textsOf(pieces: AsyncIterable<Piece>): Promise<[line: number, text: string][]> {
  const texts: [number, string][] = [];
  for await (const piece of pieces) texts.push([piece.line, 'problem' in piece ? piece.problem : Buffer.concat(piece.bytes).toString()]);
  return texts;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
const values = fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom('"', '\\', '\\"', '[', ']', '{,}', '\n', 'é😀')), { maxLength: 6 });

t.test('an array comes apart into its items, wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(values, sizes, fc.constantFrom('', ' ', '\n', '\r\n\t'), fc.constantFrom(0, 2), async (items, cuts, space, indent) => {
      const text = `${space}[${items.map((item) => space + JSON.stringify(item, null, indent) + space).join(',')}]${space}`;
      const found = await textsOf(splitArray(chunked(text, cuts)));
      assert.deepEqual(found.map(([, item]) => JSON.parse(item) as unknown), JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

t.test('what is no array is one piece, wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.object(), fc.string()), sizes, async (value, cuts) => {
      assert.deepEqual(await textsOf(splitArray(chunked(`\n ${JSON.stringify(value)}\n`, cuts))), [[2, `${JSON.stringify(value)}\n`]]);
    }),
  );
});

t.test('lines come apart with their numbers, wherever their bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('', '{}', 'é', '{"a":1}\r'), { minLength: 1 }), sizes, async (lines, cuts) => {
      assert.deepEqual(await textsOf(splitLines(chunked(lines.join('\n'), cuts))), lines.map((line, at) => [at + 1, line]));
    }),
  );
});

t.test('an array that is none says where', async (t) => {
  const problems = async (text: string) => (await textsOf(splitArray(chunked(text, [3])))).map(([line, found]) => `${line} ${found}`);
  t.strictSame(await problems('[1,\n,2]'), ['1 1', '2 a comma without a trace', '2 2']);
  t.strictSame(await problems('[1,\n]'), ['1 1', '2 a comma without a trace']);
  t.strictSame(await problems('[\n]'), []);
  t.strictSame(await problems('[1\n'), ['2 the array does not end']);
  t.strictSame(await problems('[1]\n2'), ['1 1', '2 text after the end of the array']);
  t.strictSame(await problems(''), []);
});
