/** The SDK as its users' compiler sees it: every counterpart of the Python SDK is there, and says what it is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { projectRoot } from '../running-service.js';
import { fields, names } from './names.js';

t.setTimeout(120_000);
const entry = join(projectRoot, 'dist/src/sdk/index.d.ts');
const program = ts.createProgram([entry], { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true, skipLibCheck: true, types: ['node'], typeRoots: [join(projectRoot, 'node_modules/@types')] });
const checker = program.getTypeChecker();
const source = program.getSourceFile(entry);
const module = source && checker.getSymbolAtLocation(source);
const exported = new Map((module ? checker.getExportsOfModule(module) : []).map((symbol) => [symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol]));

/** `Export` or `Export.member`; a static member too. */
function find(name: string): ts.Symbol | undefined {
  const [first = '', member] = name.replace('()', '').split('.');
  const symbol = exported.get(first);
  if (symbol === undefined || member === undefined) return symbol;
  return checker.getPropertyOfType(checker.getDeclaredTypeOfSymbol(symbol), member) ?? symbol.exports?.get(ts.escapeLeadingUnderscores(member));
}

t.test('every name of the Python SDK has its counterpart, with a docstring', async (t) => {
  t.ok(names.length > 45 && exported.size > 45);
  for (const { python, typescript } of names) {
    const symbol = find(typescript);
    if (t.ok(symbol, `${python} is ${typescript}`)) t.not(symbol?.getDocumentationComment(checker).length, 0, `${typescript} has a docstring`);
    if (symbol && typescript.endsWith('()')) t.ok(symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Method), `${typescript} is called`);
  }
});

t.test('every parameter and field is there in camel case', async (t) => {
  for (const [type, list] of Object.entries(fields)) {
    for (const field of list.split(' ')) {
      const camel = field.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
      t.ok(find(`${type}.${camel}`), `${type}.${camel}`);
    }
  }
});

t.test('every export has a docstring', async (t) => {
  const without = [...exported].filter(([, symbol]) => symbol.getDocumentationComment(checker).length === 0).map(([name]) => name);
  t.strictSame(without, []);
});

t.test('docs/sdk.md shows the names as they are', async (t) => {
  const rows = names.map(({ python, typescript, difference = '' }) => `| \`${python}\` | \`${typescript}\` | ${difference} |\n`);
  const expected = `| Python | TypeScript | difference |\n| --- | --- | --- |\n${rows.join('')}`;
  const shown = /<!-- names: [^\n]* -->\n(.*?)<!-- \/names -->/s.exec(readFileSync(join(projectRoot, 'docs/sdk.md'), 'utf8'))?.[1];
  if (!t.equal(shown, expected)) console.error(`docs/sdk.md between the names comments should be:\n\n${expected}`);
});
