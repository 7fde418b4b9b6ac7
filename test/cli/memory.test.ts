/** `packhost memory` as an operator uses it: what it prints, and how it exits. */
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { openMemory } from '../../src/memory/index.js';
import { packhostCommand } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const [program, ...start] = packhostCommand;
const env = { PATH: process.env['PATH'] };

function memory(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(program, [...start, 'memory', ...args], { env }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }));
  });
}

/** A database with two tenants' runs and a fact that has had its time. */
async function stocked(t: Test): Promise<{ readonly folder: string; readonly url: string; readonly file: string }> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'memory.db');
  const filled = await openMemory(`sqlite:${file}`);
  await filled.log.appendAll(Array.from({ length: 30 }, (_, at) => ({ tenantId: 'acme', runId: 'run-1', kind: 'tool-call', actor: 'agent', payload: { at } })));
  await filled.log.appendAll([{ tenantId: 'other', runId: 'run-9', kind: 'user-message', payload: 'hi' }]);
  await filled.facts.put({ scope: { tenantId: 'acme' }, id: 'old', type: 'note', content: 'x', retention: { keepUntil: '2020-01-01T00:00:00Z' } });
  await filled.close();
  return { folder, url: `sqlite:${file}`, file };
}

function tamper(file: string, ...statements: string[]): void {
  const database = new Sqlite(file);
  for (const trigger of ['memory_log_update', 'memory_log_delete', 'memory_log_heads_back']) database.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
  for (const sql of statements) database.exec(sql);
  database.close();
}

t.test('verify exits 0 when every chain is whole, and 1 with tenant, run and sequence when one is not', async (t) => {
  const { url, file } = await stocked(t);
  const whole = await memory('verify', url);
  t.match(whole, { code: 0, stdout: /31 entries in 2 runs/, stderr: '' });
  t.strictSame(JSON.parse((await memory('verify', url, '--json')).stdout), { chains: 2, entries: 31, breaks: [] });
  tamper(file, `UPDATE memory_log SET payload = '{"at":8}' WHERE tenant_id = 'acme' AND sequence = 7`);
  const broken = await memory('verify', url);
  t.equal(broken.code, 1);
  t.match(broken.stdout, /acme +run-1 +7 +changed/);
  const json = await memory('verify', url, '--json');
  t.equal(json.code, 1);
  t.match(JSON.parse(json.stdout), { breaks: [{ tenantId: 'acme', runId: 'run-1', sequence: 7, how: 'changed' }] });
  t.equal((await memory('verify', url, '--tenant', 'other')).code, 0);
  t.equal((await memory('verify', url, '--tenant', 'acme', '--run', 'run-1', '--from', '8')).code, 0);
  t.equal((await memory('export', url)).code, 1);
});

t.test('heads that were kept and signed tell when a tail was cut', async (t) => {
  const { url, file, folder } = await stocked(t);
  const keys = generateKeyPairSync('ed25519');
  const [heads, key, publicKey, otherKey] = ['heads.json', 'key.pem', 'public.pem', 'other.pem'].map((name) => join(folder, name)) as [string, string, string, string];
  writeFileSync(key, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(publicKey, keys.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(otherKey, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }));
  t.equal((await memory('verify', url, '--write-heads', heads, '--sign', key)).code, 0);
  t.equal((await memory('verify', url, '--heads', heads, '--public-key', publicKey)).code, 0);
  tamper(file, `DELETE FROM memory_log WHERE sequence >= 20`, `UPDATE memory_log_heads SET (sequence, entry_hash, seal) = (SELECT sequence, entry_hash, seal FROM memory_log l WHERE l.run_id = 'run-1' AND l.sequence = 19) WHERE run_id = 'run-1'`);
  t.equal((await memory('verify', url)).code, 0, 'the database alone does not tell');
  const cut = await memory('verify', url, '--heads', heads, '--public-key', publicKey);
  t.match(cut, { code: 1, stdout: /acme +run-1 +20 +cut/ });
  t.match(await memory('verify', url, '--heads', heads, '--public-key', otherKey), { code: 1, stderr: /key/ });
});

t.test('export and import bring a log from one file to another', async (t) => {
  const { url, folder } = await stocked(t);
  const file = join(folder, 'log.jsonl');
  t.equal((await memory('export', url, '--output', file)).code, 0);
  const { stdout } = await memory('export', url);
  t.equal(readFileSync(file, 'utf8'), stdout);
  t.equal(stdout.trim().split('\n').length, 33);
  const copy = `sqlite:${join(folder, 'copy.db')}`;
  t.match(await memory('import', copy, file), { code: 0, stdout: /31 entries of 2 runs/ });
  t.strictSame(JSON.parse((await memory('import', copy, file, '--json')).stdout), { chains: 2, entries: 0, known: 31 });
  t.equal((await memory('export', copy)).stdout, stdout);
  writeFileSync(file, stdout.replace('"at":7', '"at":8'));
  t.match(await memory('import', `sqlite:${join(folder, 'third.db')}`, file), { code: 1, stderr: /Line 8/ });
  t.equal((await memory('import', copy, join(folder, 'nothing.jsonl'))).code, 2);
});

t.test('a broken export leaves no file', async (t) => {
  const { url, file, folder } = await stocked(t);
  tamper(file, 'DELETE FROM memory_log WHERE sequence = 12');
  t.equal((await memory('export', url, '--output', join(folder, 'log.jsonl'))).code, 1);
  t.strictSame(readdirSync(folder).filter((name) => name.startsWith('log')), []);
});

t.test('stats and sweep tell what there is, and what has had its time', async (t) => {
  const { url } = await stocked(t);
  t.match((await memory('stats', url)).stdout, /acme +1 +30 +1 +1 +3\n.*other +1 +1 +0 +0 +0\n/s);
  t.match(JSON.parse((await memory('stats', url, '--tenant', 'other', '--json')).stdout), { engine: 'sqlite', tenants: [{ tenantId: 'other', entries: 1 }] });
  t.match((await memory('sweep', url, '--dry-run')).stdout, /old +1\n.*would delete 1 versions/s);
  t.match(JSON.parse((await memory('sweep', url, '--json')).stdout), { versions: [{ id: 'old', version: 1, scope: { tenantId: 'acme' } }] });
  t.match((await memory('sweep', url)).stdout, /deleted 0 versions/);
});

t.test('tail shows the last entries, and follows', async (t) => {
  const { url } = await stocked(t);
  const { stdout } = await memory('tail', url, '--tenant', 'acme', '--run', 'run-1', '--lines', '2');
  t.strictSame(stdout.trim().split('\n').map((line) => line.split('  ')[0]), ['28', '29']);
  t.match(stdout, 'tool-call  agent  {"at":29}');
  const following = spawn(program, [...start, 'memory', 'tail', url, '--tenant', 'acme', '--run', 'run-1', '--lines', '1', '--follow', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => following.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => following.once('close', resolve));
  const writer = await openMemory(url);
  let seen = '';
  for await (const text of following.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    seen += text;
    if (seen.trim().split('\n').length === 1) await writer.log.append({ tenantId: 'acme', runId: 'run-1', kind: 'wait-resumed' });
    else following.kill('SIGINT');
  }
  await writer.close();
  t.equal(await ended, 0);
  t.strictSame(seen.trim().split('\n').map((line) => (JSON.parse(line) as { sequence: number }).sequence), [29, 30]);
});

t.test('text from a log does not reach the terminal as control characters', async (t) => {
  const url = `sqlite:${join(temporaryFolder(t), 'm.db')}`;
  const filled = await openMemory(url);
  await filled.log.append({ tenantId: 'acme', runId: '\u001b[2J', kind: 'user-message', actor: '\u001b[31m\r', payload: '\u009b' });
  await filled.close();
  for (const { stdout } of [await memory('tail', url, '--tenant', 'acme', '--run', '\u001b[2J'), await memory('stats', url)]) t.notMatch(stdout, /[^\n\P{Cc}]/u);
});

t.test('what cannot be done exits 2 and says why', async (t) => {
  const { url, folder } = await stocked(t);
  const missing = join(folder, 'missing.db');
  writeFileSync(join(folder, 'text.db'), 'this is no database, though long enough to be read as one'.repeat(20));
  const refused: [string[], RegExp][] = [
    [['verify'], /memory is missing/],
    [['verify', `sqlite:${missing}`], /no such file/],
    [['verify', `sqlite:${join(folder, 'text.db')}`], /not a database/],
    [['verify', 'mysql://root:secret@host/db'], /sqlite:FILE/],
    [['verify', 'postgres://root:secret@127.0.0.1:1/db'], /PostgreSQL/],
    [['verify', url, '--run', 'run-1'], /--tenant/],
    [['verify', url, '--from', '3'], /tenantId/],
    [['verify', url, '--tenant', 'acme', '--run', 'run-1', '--from', '-3'], /--from/],
    [['verify', url, '--colour'], /--colour/],
    [['verify', url, 'more'], /more/],
    [['import', url], /missing/],
    [['tail', url], /--tenant/],
    [['verfiy', url], /verify/],
  ];
  for (const [args, message] of refused) {
    const { code, stdout, stderr } = await memory(...args);
    t.equal(code, 2, args.join(' '));
    t.match(stderr, message);
    t.equal(stdout, '');
    t.notMatch(stderr, 'secret');
  }
  t.notOk(existsSync(missing), 'and makes no database');
});

t.test('every command says how it is used', async (t) => {
  const { stdout } = await memory('--help');
  for (const name of ['verify', 'export', 'import', 'stats', 'sweep', 'tail']) {
    t.match(stdout, `packhost memory ${name}`);
    t.match(await memory(name, '--help'), { code: 0, stdout: new RegExp(`packhost memory ${name} URL`) });
  }
});
