/** The tables of docs/indexing.md against the sources and the commands; its shell blocks run in readme.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runCommand } from './run-command.js';
import { projectRoot } from './running-service.js';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const page = read('docs/indexing.md');

/** The first cells of a table between two comments. */
function firstCells(name: string): string[] {
  const table = new RegExp(`<!-- ${name}: [^\\n]* -->\\n(.*?)<!-- /${name} -->`, 's').exec(page)?.[1] ?? '';
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell);
}

t.test('every rule is in the table', async (t) => {
  const files = ['src/indexer', 'workers/indexing'].flatMap((folder) => readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`));
  const source = [...files, 'src/service/validate-pack.ts'].map(read).join('\n');
  const named = [/report\.add\([^,]+, '([a-z-]+)'/g, /rule: '([a-z-]+)'/g, /problem\([^,]+, '([a-z-]+)'/g, /broken\('([a-z-]+)'/g].flatMap((pattern) => [...source.matchAll(pattern)].map(([, rule]) => rule));
  t.strictSame(firstCells('rules').sort(), [...new Set(named)].filter((rule) => rule !== 'required').sort());
});

t.test('every flag is in the table', async (t) => {
  const helps = await Promise.all(['index', 'validate'].map((command) => runCommand([command, '--help'])));
  const flags = new Set(helps.flatMap(({ stdout }) => [...stdout.matchAll(/^ +(--[a-z-]+)/gm)].map(([, flag = '']) => flag)));
  flags.delete('--help');
  t.strictSame(firstCells('flags').sort(), [...flags].sort());
});
