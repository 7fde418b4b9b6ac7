/**
 * docs/guardrails.md as it stands: each `console` block is a session in one folder with the files that the
 * page shows. `npx packhost` is a command on PATH that starts the built command of this folder; what ends
 * in `&` is a service, and 8080 in what follows is the port that it got.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { builtInCheckIds } from '../../src/guardrails/index.js';
import { builtInCheck } from '../../src/checks/index.js';
import { packhostCommand, projectRoot, type RunningService, serve } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

const page = readFileSync(join(projectRoot, 'docs/guardrails.md'), 'utf8');

/** Runs a line in a shell whose last command ended with `status`. */
function shell(line: string, cwd: string, status: number): Promise<{ readonly output: string; readonly status: number }> {
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    execFile('sh', ['-c', `(exit ${status}); ${line}`], { cwd, env }, (error, stdout, stderr) => resolve({ output: stdout + stderr, status: error === null ? 0 : Number(error.code) }));
  });
}

t.test('the sessions on the page come out as it shows them', async (t) => {
  const folder = temporaryFolder(t);
  const write = (file: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { mode });
  };
  for (const [, file = '', text = ''] of page.matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)) write(file, text);
  write('bin/npx', `#!/bin/sh\nshift\nexec ${packhostCommand.map((word) => `'${word}'`).join(' ')} "$@"\n`, 0o755);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(projectRoot, join(folder, 'node_modules/packhost'));

  const sessions = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = '']) => text);
  t.equal(sessions.length, 3);
  for (const session of sessions) {
    let status = 0;
    let service: RunningService | undefined;
    for (const [, line = '', shown = ''] of session.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
      if (line.endsWith('&')) {
        service = await serve(t, { pack: join(folder, 'shop'), token: 'change-me' });
        continue;
      }
      const ran = await shell(line.replace(':8080', `:${service?.port ?? 8080}`), folder, status);
      status = ran.status;
      t.equal(ran.output.trimEnd(), shown.trimEnd(), line);
    }
  }
});

t.test('the table of checks has every check, with each key of its config and its default', async (t) => {
  const table = /<!-- checks: [^\n]* -->\n(.*?)<!-- \/checks -->/s.exec(page)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| `([a-z-]+)` \| (.*?) \| [^|]* \|$/gm)];
  t.strictSame(rows.map(([, id]) => id), builtInCheckIds);
  for (const [at, id] of builtInCheckIds.entries()) {
    const { properties } = builtInCheck(id).configSchema as { properties: Record<string, { default?: string | number | boolean | [] }> };
    for (const [key, { default: value }] of Object.entries(properties)) {
      const config = rows[at]?.[2] ?? '';
      t.ok(config.includes(`\`${key}\``), `${id} ${key}`);
      if (value !== undefined && value !== '' && !Array.isArray(value)) t.match(config.replaceAll('`', ''), `${key} (${String(value)})`, `${id} ${key}`);
    }
  }
});

t.test('the table of options has every option', async (t) => {
  const table = /<!-- options: [^\n]* -->\n(.*?)<!-- \/options -->/s.exec(page)?.[1] ?? '';
  const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const declared = ['options.ts', 'definition.ts'].flatMap((file) => {
    const source = readFileSync(join(projectRoot, 'src/guardrails', file), 'utf8');
    const body = /export interface (?:Evaluation|Definition)Options [^{]*\{(.*?)^\}/ms.exec(source)?.[1] ?? '';
    return [...body.matchAll(/readonly (\w+)\?:/g)].map(([, name]) => name);
  });
  t.strictSame(listed, declared);
});
