import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

t.test('however many names the schemas have, objects of the same keys go on sharing their shape', async (t) => {
  // V8 keeps some 1,500 shapes that begin as an empty object, until its next full collection: this heap has room enough to need none.
  const flags = ['--allow-natives-syntax', '--min-semi-space-size=256', '--max-semi-space-size=256'];
  const compiler = new URL('../../src/schemas/schema-compiler.js', import.meta.url).href;
  const script = `
    import { SchemaCompiler } from '${compiler}';
    const compiler = new SchemaCompiler({ fillDefaults: true });
    for (let at = 0; at < 2_000; at++) compiler.compile(JSON.parse('{ "type": "object", "properties": { "of-' + at + '": { "type": "string" } } }'));
    const headers = (name) => Object.assign({}, { [name]: 'text' });
    console.log(%HaveSameMap(headers('named-first-here'), headers('named-first-here')));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', script]);
  t.equal(stdout, 'true\n');
});
