import t from 'tap';
import { EntrySchemas } from '../../src/packs/entry-schemas.js';
import { checkIndex } from '../../src/packs/load-index.js';
import { indexOf, toolEntry } from '../temporary-pack.js';

const entry = (at: number, input: object) => toolEntry(`tool-${at}`, 'tool.mjs', { input });

t.test('while many schemas are compiled, other work has its turns', async (t) => {
  const tools = Array.from({ length: 300 }, (_, at) => entry(at, { type: 'object', properties: { [`of-${at}`]: { type: 'string', minLength: at } }, required: [`of-${at}`] }));
  const schemas = new EntrySchemas();
  for (const tool of checkIndex(indexOf({ tools }), 'here').tools) schemas.ofTool(tool);
  let isOver = false;
  let turns = 0;
  const compiled = schemas.compile().finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  t.equal((await compiled).codes.length, 600);
  t.ok(turns >= 10, `${turns} turns`);
});

t.test('a schema that does not compile leaves the others in their places', async (t) => {
  const [good, bad] = checkIndex(indexOf({ tools: [entry(0, { type: 'object' }), entry(1, { type: 'nothing' })] }), 'here').tools;
  const schemas = new EntrySchemas();
  const places = [bad, good].map((tool) => tool && schemas.ofTool(tool).inputValidator);
  const { codes, problems } = await schemas.compile();
  t.strictSame(places.map((place) => place !== undefined && codes[place] !== ''), [false, true]);
  t.equal(problems.length, 1);
  t.match(problems[0], /"tool-1".*input/);
});
