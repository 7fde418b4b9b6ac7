/** The TypeScript of docs/sdk.md and docs/calling.md compiles with strict settings, and does what the text says. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import ts from 'typescript';
import { exitCodes } from '../../src/cli/exit-codes.js';
import { projectRoot, serve } from '../running-service.js';
import { indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

t.setTimeout(120_000);
const execute = promisify(execFile);
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const section = (text: string, name: string): string => new RegExp(`<!-- ${name}: [^\\n]* -->\\n(.*?)<!-- /${name} -->`, 's').exec(text)?.[1] ?? '';

/** The files that a document shows; a temporary folder of a test lies below the package, so that its name resolves. */
const folder = temporaryFolder(t);
const files = ['docs/sdk.md', 'docs/calling.md'].flatMap((path) => [...read(path).matchAll(/^`([\w/.]+\.ts)`:\n\n```ts\n(.*?)^```$/gms)].map(([, name = '', text = '']) => ({ name, text })));

const service = await serve(t, {
  pack: temporaryPack(t, indexOf({ tools: [toolEntry('hello.greet', 'greet.mjs')] }), { 'greet.mjs': 'export const handler = ({ name }) => ({ greeting: `Hello, ${name}!` });' }),
  args: ['--min-threads', '1'],
  token: 'change-me',
});

for (const { name, text } of files) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text.replace(':8080', `:${service.port}`));
}

t.test('the examples compile', async (t) => {
  t.strictSame(files.map(({ name }) => name), ['tools/repeat.ts', 'guardrails/short.ts', 'tools/order.ts', 'clerk.ts', 'repeat.test.ts', 'call.ts']);
  const program = ts.createProgram(files.map(({ name }) => join(folder, name)), {
    strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false, noEmitOnError: true,
    module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'], types: ['node'], typeRoots: [join(projectRoot, 'node_modules/@types')],
  });
  const { diagnostics } = program.emit();
  t.strictSame([...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')), []);
});

t.test('the examples run', async (t) => {
  const run = async (file: string): Promise<string> => (await execute(process.execPath, [file], { cwd: folder, env: { PATH: process.env['PATH'] } })).stdout;
  t.match(await run('repeat.test.js'), /pass 1\n/);
  t.match(await run('call.js'), "{ greeting: 'Hello, Ada!' }");
  const { clerk, report } = (await import(join(folder, 'clerk.js'))) as { clerk: unknown; report: unknown };
  t.match(clerk, { tools: [{ id: 'acme.repeat', version: '1.0.0' }, { id: 'acme.order', version: '*' }, { id: 'other.search' }], guardrails: ['acme.short'] });
  t.match(report, { kernelPayloadVersion: 1, nodes: [{ ref: { id: 'acme.order' } }, { ref: 'acme.clerk' }] });
});

t.test('the tables of errors and exit codes are those of the code', async (t) => {
  const listed = [...section(read('docs/sdk.md'), 'http errors').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const declared = [...read('workers/http-tool/error.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(([, name]) => name);
  t.ok(declared.length > 5);
  t.strictSame(listed, declared);
  const rows = Object.values(exitCodes).map(({ code, when }) => `| ${code} | ${when} |\n`);
  t.equal(section(read('docs/calling.md'), 'exit codes'), `| code | when |\n| --- | --- |\n${rows.join('')}`);
});
