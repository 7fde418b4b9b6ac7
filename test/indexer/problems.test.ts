/** What is wrong with a pack's sources is told all at once, each with its place; nothing is written then. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { asLimitedUser, cannotLimit, openToAll } from '../limited-process.js';
import { runCommand } from '../run-command.js';
import { temporaryFolder } from '../temporary-pack.js';

interface Problem {
  readonly severity: string;
  readonly file: string;
  readonly entry?: string;
  readonly field: string;
  readonly rule: string;
  readonly message: string;
  readonly hint?: string;
}

interface Verdict {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
}

const config = `export default { pack: { id: 'acme', version: '1.0.0' } };\n`;
const tool = (fields: string): string => `export default { description: '', input: true, output: true, handler: () => 1, ${fields} };\n`;
const guardrail = (fields: string): string => `export default { kind: 'zero-llm', action: { 'on-violation': 'halt' }, check: { id: 'acme.c', evaluate: () => ({ passed: true }) }, ${fields} };\n`;
const flow = (nodes: string, edges: string): string => `export default { id: 'acme.flow', version: '1.0.0', nodes: [${nodes}], edges: [${edges}] };\n`;

function pack(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries({ 'kindgi.config.mjs': config, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function validate(folder: string, ...flags: readonly string[]): Promise<Verdict & { readonly code: number }> {
  const { code, stdout } = await runCommand(['validate', folder, '--json', ...flags]);
  return { code, ...(JSON.parse(stdout) as Verdict) };
}

const placesOf = (problems: readonly Problem[]): string[] => problems.map(({ severity, file, entry = '-', field, rule }) => [severity, file, entry, field, rule].join(' '));

t.test('a file that hangs, exits, throws or cannot be parsed is named, and the others are read', async (t) => {
  const folder = pack(t, {
    'tools/exits.mjs': 'process.exit(3);\n',
    'tools/fine.mjs': tool(`id: 'acme.fine', handler: 7`),
    'tools/hangs.mjs': 'for (;;);\n',
    'tools/later.mjs': `setTimeout(() => { throw new TypeError('later'); });\nawait new Promise((resolve) => setTimeout(resolve, 60_000));\n`,
    'tools/missing.mjs': `import './nowhere.mjs';\n`,
    'tools/parses.mjs': 'export default {;\n',
    'tools/throws.mjs': `throw new RangeError('thrown', { cause: new Error('deeper') });\n`,
    'tools/waits.mjs': 'await new Promise(() => {});\n',
    'tools/zeal.ts': 'enum Zeal { Much }\nexport default Zeal;\n',
  });
  const { code, problems } = await validate(folder, '--load-timeout', '3000');
  t.equal(code, 1);
  t.strictSame(placesOf(problems), [
    'error tools/exits.mjs -  load-exit',
    'error tools/fine.mjs acme.fine handler required',
    'error tools/hangs.mjs -  load-timeout',
    'error tools/later.mjs -  load-fault',
    'error tools/missing.mjs -  import',
    'error tools/parses.mjs -  import',
    'error tools/throws.mjs -  import',
    'error tools/waits.mjs -  load-exit',
    'error tools/zeal.ts -  import',
  ]);
  const messageAt = (file: string): string | undefined => problems.find((problem) => problem.file === file)?.message;
  t.match(messageAt('tools/throws.mjs'), /thrown.*deeper/, 'with its cause');
  t.match(messageAt('tools/zeal.ts'), /enum/, 'syntax that is more than types is refused by name');
});

t.test('everything a definition lacks or has wrong is named by its field', async (t) => {
  const folder = pack(t, {
    'agents/silent.mjs': `export default { id: 'acme.silent', name: 'Silent', tools: [{ id: 'acme.fine' }, 'acme.fine'] };\n`,
    'flows/flow.mjs': flow(`{ id: 'a', kind: 'tool', ref: 'x' }, { id: 'a', kind: 'tool' }, { id: 'lost', kind: 'tool' }`, `{ id: '1', from: '$start', to: 'a' }, { id: '2', from: 'a', to: '$end' }`),
    'flows/loose.mjs': flow(`{ id: 'a', kind: 'tool' }`, `{ id: '1', from: '$end', to: 'a' }, { id: '2', from: 'a', to: 'b' }`).replace('acme.flow', 'acme.loose'),
    'guardrails/bare.mjs': `export default { id: 'acme.bare' };\n`,
    'guardrails/built-in.mjs': guardrail(`id: 'acme.built-in', check: 'must-sight'`),
    'guardrails/config.mjs': guardrail(`id: 'acme.config', config: { n: 'one' }, configSchema: { properties: { n: { type: 'integer' } } }`),
    'guardrails/reserved.mjs': guardrail(`id: 'acme.reserved', check: { id: 'max-tool-calls', evaluate: () => ({ passed: true }) }`),
    'tools/bounds.mjs': tool(`id: 'acme.bounds', sandbox: 'loose', limits: { memMB: 0 }, network: { kind: 'allowlist' }, mutating: 'no'`),
    'tools/functions.mjs': tool(`id: 'acme.functions', needsSpec: { when: () => true }`),
    'tools/live.mjs': tool(`id: 'acme.live', input: { '~standard': { version: 1, vendor: 'shapes', validate: (value) => ({ value }) } }`),
    'tools/nameless.mjs': tool(`name: 'no id'`),
    'tools/refused.mjs': `export const a = { kind: 'err', error: { code: 'invalid-id', message: 'An id is lower case.' } };\n`,
    'tools/same.mjs': tool(`id: 'acme.twice'`),
    'tools/schema.mjs': tool(`id: 'acme.schema', input: { type: 'text' }, output: 7`),
    'tools/twice.mjs': tool(`id: 'acme.twice', version: '1.0.0'`),
    'tools/zod.mjs': `import { z } from 'zod';\n${tool(`id: 'acme.zod', output: z.object({ at: z.date() })`)}`,
  });
  const { problems } = await validate(folder);
  t.strictSame(placesOf(problems).sort(), [
    'error agents/silent.mjs acme.silent instructions required',
    'error agents/silent.mjs acme.silent tools.1 type',
    'error agents/silent.mjs acme.silent version required',
    'error flows/flow.mjs acme.flow nodes.1.id node-ids',
    'error flows/flow.mjs acme.flow nodes.2 unreachable',
    'error flows/loose.mjs acme.loose edges.0.from edges',
    'error flows/loose.mjs acme.loose edges.1.to edges',
    'error guardrails/bare.mjs acme.bare action required',
    'error guardrails/bare.mjs acme.bare check required',
    'error guardrails/bare.mjs acme.bare kind required',
    'error guardrails/built-in.mjs acme.built-in check built-in',
    'error guardrails/config.mjs acme.config config.n config-schema',
    'error guardrails/reserved.mjs acme.reserved check.id reserved-check-id',
    'error tools/bounds.mjs acme.bounds limits.memMB minimum',
    'error tools/bounds.mjs acme.bounds mutating type',
    'error tools/bounds.mjs acme.bounds network.hosts required',
    'error tools/bounds.mjs acme.bounds sandbox enum',
    'error tools/functions.mjs acme.functions needsSpec.when json',
    'error tools/live.mjs acme.live input schema',
    'error tools/nameless.mjs - id required',
    'error tools/refused.mjs a  result',
    'error tools/schema.mjs acme.schema input json-schema',
    'error tools/schema.mjs acme.schema output type',
    'error tools/twice.mjs acme.twice id duplicate',
    'error tools/zod.mjs acme.zod output schema',
  ]);
  t.match(problems.find(({ rule }) => rule === 'built-in')?.hint, /must-cite/, 'the nearest name is suggested');
  t.match(problems.find(({ rule }) => rule === 'result')?.message, /An id is lower case/);
  const table = await runCommand(['index', folder]);
  t.equal(table.code, 1);
  for (const { file, message } of problems) t.ok(table.stderr.includes(file) && table.stderr.includes(message), `the table for people has ${file}: ${message}`);
  t.notOk(existsSync(join(folder, 'index.json')), 'nothing is written');
});

t.test('warnings stop nothing, unless --strict asks for it', async (t) => {
  const folder = pack(t, {
    'guardrails/other.mjs': guardrail(`id: 'acme.other', check: { id: 'other', evaluate: () => ({ passed: true }) }`),
    'tools/helper.mjs': 'export const help = () => 1;\n',
    'tools/typo.mjs': tool(`id: 'acme.typo', muttating: false`),
  });
  const { code, ok, problems } = await validate(folder);
  t.strictSame([code, ok], [0, true]);
  t.strictSame(placesOf(problems), [
    'warning guardrails/other.mjs acme.other check.id check-id-prefix',
    'warning tools/helper.mjs -  no-definition',
    'warning tools/typo.mjs acme.typo muttating unknown-field',
  ]);
  t.match(problems[2]?.hint, /mutating/);
  t.equal((await validate(folder, '--strict')).code, 1);
  t.equal((await runCommand(['index', folder, '--strict'])).code, 1);
  t.notOk(existsSync(join(folder, 'index.json')));
  t.equal((await runCommand(['index', folder])).code, 0);
  t.strictSame(readdirSync(folder).sort(), ['guardrails', 'index.json', 'kindgi.config.mjs', 'tools'], 'and nothing else is left behind');
});

t.test('a config that is missing, broken or contradicts itself is named', async (t) => {
  const problemsOf = async (text: string): Promise<string[]> => placesOf((await validate(pack(t, { 'kindgi.config.mjs': text }))).problems);
  t.strictSame(placesOf((await validate(temporaryFolder(t))).problems.map((problem) => ({ ...problem, file: '' }))), ['error  -  config']);
  t.strictSame(await problemsOf(`throw new Error('no');\n`), ['error kindgi.config.mjs -  import']);
  t.strictSame(await problemsOf('export const pack = 1;\n'), ['error kindgi.config.mjs - default required']);
  t.strictSame(await problemsOf(`export default { kind: 'err', error: 'no' };\n`).then(([first]) => first), 'error kindgi.config.mjs -  result');
  t.strictSame(await problemsOf(`export default { pack: { id: '' }, env: { required: ['A', 'KINDGI_B'], optional: ['A', '1C'] }, discovery: { tools: ['a'] } };\n`), [
    'error kindgi.config.mjs - pack.version required',
    'error kindgi.config.mjs - pack.id minLength',
    'error kindgi.config.mjs - discovery.tools type',
    'error kindgi.config.mjs - env.required.1 pattern',
    'error kindgi.config.mjs - env.optional.1 pattern',
    'error kindgi.config.mjs - env env-in-both',
  ]);
  t.strictSame(await problemsOf(`export default { pack: { id: 'a', version: '1' }, discovery: { tools: '../**/*.mjs', flows: 'none/*' } };\n`), [
    'error kindgi.config.mjs - discovery.tools outside',
    'warning kindgi.config.mjs - discovery.flows no-match',
  ]);
});

t.test('code is read with the environment that it will run with', async (t) => {
  const declared = `export default { pack: { id: 'acme', version: '1.0.0' }, env: { optional: ['DECLARED'] } };\n`;
  const seen = tool(`id: 'acme.env', description: ['DECLARED', 'OTHER', 'KINDGI_PACK_SERVICE_TOKEN'].filter((name) => name in process.env).join()`);
  const folder = pack(t, { 'kindgi.config.mjs': declared, 'tools/env.mjs': seen });
  const { stdout, code } = await runCommand(['index', folder], { env: { DECLARED: '1', OTHER: '1', KINDGI_PACK_SERVICE_TOKEN: 'secret' } });
  t.equal(code, 0, stdout);
  const { tools } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { tools: { description: string }[] };
  t.equal(tools[0]?.description, 'DECLARED');
});

t.test('what code prints as it loads does not mix with what the command prints', async (t) => {
  const folder = pack(t, { 'tools/prints.mjs': `console.log('printed');\n${tool(`id: 'acme.prints'`)}` });
  const { stdout, stderr } = await runCommand(['validate', folder, '--json']);
  t.equal((JSON.parse(stdout) as Verdict).ok, true);
  t.match(stderr, 'printed');
});

t.test('sources that no thread can be had for are one problem, at the first file, with the reason', { skip: cannotLimit }, async (t) => {
  const folder = openToAll(pack(t, { 'tools/a.mjs': tool(`id: 'acme.a'`), 'tools/b.mjs': tool(`id: 'acme.b'`) }));
  const { code, stdout } = await runCommand(['validate', folder, '--json'], { within: asLimitedUser(0) });
  const { problems } = JSON.parse(stdout) as Verdict;
  t.equal(code, 1);
  t.strictSame(placesOf(problems), ['error kindgi.config.mjs -  no-thread']);
  t.match(problems[0]?.message, /EAGAIN.*ulimit -u/);
});
