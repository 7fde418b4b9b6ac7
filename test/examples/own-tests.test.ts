import { spawn } from 'node:child_process';
import t from 'tap';
import { examplePack } from './example-pack.js';

t.test('the tests that are copied with the pack pass where it stands', async (t) => {
  const child = spawn(process.execPath, ['--test'], { cwd: examplePack, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));

  t.equal(code, 0);
  if (code !== 0) t.comment(output);
  t.match(output, /(?:#|ℹ) pass [1-9]\d/, 'and there are some');
  t.match(output, /(?:#|ℹ) skipped 0/);
});
