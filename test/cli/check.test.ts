import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { packhostCommand } from '../running-service.js';
import { guardrailEntry, indexOf, temporaryFolder, temporaryPack } from '../temporary-pack.js';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
interface Document {
  readonly results: readonly { readonly file: string; readonly line: number; readonly runId?: string; readonly problem?: string; readonly outcomes?: readonly Record<string, unknown>[] }[];
  readonly totals: Readonly<Record<string, unknown>>;
}

function check(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const [program, ...rest] = packhostCommand;
  return new Promise((resolve) => {
    execFile(program, [...rest, 'check', ...args], { cwd, env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const builtIn = (id: string, checkId: string, config: object, more: object = {}) => ({ id, kind: 'zero-llm', action: { 'on-violation': 'halt' }, checkId, config, ...more });
const cites = builtIn('cites', 'must-cite', {});
const good = { runId: 'good', output: 'As in [1].' };
const bad = { runId: 'bad', output: 'As everybody knows.' };
const lines = (...traces: readonly unknown[]): string => traces.map((trace) => `${JSON.stringify(trace)}\n`).join('');

/** A folder with a pack in `pack/`, and the files that are to be judged. */
function folderWith(t: Test, guardrails: readonly object[], files: Readonly<Record<string, string>>, modules: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryPack(t, indexOf({ guardrails: [] }), {});
  mkdirSync(join(folder, 'pack'));
  mkdirSync(join(folder, 'runs'));
  writeFileSync(join(folder, 'pack/index.json'), JSON.stringify(indexOf({ guardrails })));
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, 'pack', name), text);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const judged = async (folder: string, ...args: string[]): Promise<Run & { readonly document: Document }> => {
  const run = await check(folder, ['--pack', 'pack', '--json', ...args]);
  return { ...run, document: JSON.parse(run.stdout) as Document };
};

t.test('the build goes on when every run passes, and stops when one does not', async (t) => {
  const folder = folderWith(t, [cites], { 'good.jsonl': lines(good, good), 'bad.jsonl': lines(good, bad) });
  t.match(await check(folder, ['--pack', 'pack', '--trace', 'good.jsonl']), { code: 0, stdout: /cites +passed +2\n/, stderr: '' });
  t.match(await check(folder, ['--pack', 'pack', '--trace', 'bad.jsonl']), { code: 1, stdout: /cites +failed +1 +halt +bad\.jsonl:2 .*\n[^]*must stop/ });
});

t.test('traces come as JSON, as an array of it, as JSON Lines and in folders, each with its place', async (t) => {
  const folder = folderWith(t, [cites], {
    'one.json': JSON.stringify(good, null, 2),
    'array.json': `\ufeff [\n${JSON.stringify(good)}, ${JSON.stringify({ ...bad, output: 'a "quoted \\" ] } [ text' })}\n,\n${JSON.stringify(good, null, 2)}]\n`,
    'lines.ndjson': `\n${lines(good)}\r\n${JSON.stringify(bad)}`,
    'runs/b.jsonl': lines(bad),
    'runs/a.json': '[]',
    'runs/notes.txt': 'no trace',
  });
  const { document } = await judged(folder, '--trace', 'one.json', 'array.json', '--trace', 'lines.ndjson', 'runs');
  t.strictSame(
    document.results.map(({ file, line, runId }) => [file, line, runId]),
    [['one.json', 1, 'good'], ['array.json', 2, 'good'], ['array.json', 2, 'bad'], ['array.json', 4, 'good'], ['lines.ndjson', 2, 'good'], ['lines.ndjson', 4, 'bad'], ['runs/b.jsonl', 1, 'bad']],
  );
  t.match(document.totals, { traces: 7, passed: 4, failed: 3, buildMustStop: true });
});

t.test('what is no trace is reported at its place, stops the build, and the others are judged', async (t) => {
  const folder = folderWith(t, [cites], {
    'lines.jsonl': `${lines(good)}{ nope\n[]\n${lines(good)}`,
    'array.json': `[${JSON.stringify(good)},\n{ nope ],\n,${JSON.stringify(good)}`,
    'more.json': '[{}] []',
    'bytes.jsonl': '',
  });
  writeFileSync(join(folder, 'bytes.jsonl'), Buffer.from([0x7b, 0xff, 0x7d]));
  const { code, document } = await judged(folder, '--trace', 'lines.jsonl', 'array.json', 'more.json', 'bytes.jsonl');
  t.equal(code, 1);
  const unreadable = document.results.filter(({ problem }) => problem !== undefined).map(({ file, line }) => `${file}:${line}`);
  t.strictSame(unreadable, ['lines.jsonl:2', 'lines.jsonl:3', 'array.json:2', 'array.json:3', 'array.json:3', 'more.json:1', 'bytes.jsonl:1']);
  t.match(document.totals, { unreadable: 7, traces: 11, failed: 1 });
});

t.test('--fail-on says from which severity on a violation stops the build', async (t) => {
  const folder = folderWith(t, [{ ...cites, severity: 'warn' }], { 'bad.jsonl': lines(bad) });
  const codes = [];
  for (const severity of ['info', 'warn', 'error', 'critical']) codes.push((await judged(folder, '--trace', 'bad.jsonl', '--fail-on', severity)).code);
  t.strictSame(codes, [1, 1, 0, 0]);
});

t.test('what is only to be logged never stops the build; what cannot be judged always does', async (t) => {
  const logged = folderWith(t, [{ ...cites, severity: 'critical', action: { 'on-violation': 'log-only' } }], { 'bad.jsonl': lines(bad) });
  t.match(await judged(logged, '--trace', 'bad.jsonl'), { code: 0, document: { totals: { failed: 1, stopping: 0 } } });
  const external = folderWith(t, [{ ...cites, kind: 'external', severity: 'info' }], { 'good.jsonl': lines(good) });
  t.match(await judged(external, '--trace', 'good.jsonl'), { code: 1, document: { results: [{ outcomes: [{ kind: 'error', code: 'unknown-kind' }] }] } });
});

t.test('runs are judged as in a build, whatever they were, unless --mode says otherwise', async (t) => {
  const folder = folderWith(t, [{ ...cites, scope: { when: 'ci-only' } }], { 'bad.jsonl': lines({ ...bad, mode: 'runtime' }) });
  t.equal((await judged(folder, '--trace', 'bad.jsonl')).code, 1);
  t.match(await judged(folder, '--trace', 'bad.jsonl', '--mode', 'runtime'), { code: 0, document: { results: [{ outcomes: [{ kind: 'skip', reason: /ci-only/ }] }] } });
});

t.test('a judge is a module of the caller’s', async (t) => {
  const polite = { id: 'polite', kind: 'llm-judge', checkModulePath: 'never.mjs', config: { rubric: 'Is it polite?' }, action: { 'on-violation': 'halt' } };
  const folder = folderWith(t, [polite], { 'good.jsonl': lines(good), 'judge.mjs': "export default ({ rubric, trace }) => ({ score: 0.2, response: `${rubric} ${trace.output}` });\n", 'none.mjs': '' }, { 'never.mjs': "throw new Error('a judged guardrail needs no code');\n" });
  t.match(await judged(folder, '--trace', 'good.jsonl', '--judge', 'judge.mjs'), { code: 1, document: { results: [{ outcomes: [{ kind: 'ok', passed: false, judgeResponse: 'Is it polite? As in [1].' }] }] } });
  t.match(await judged(folder, '--trace', 'good.jsonl'), { code: 1, document: { results: [{ outcomes: [{ kind: 'error', code: 'judge-missing' }] }] } });
  t.match(await check(folder, ['--pack', 'pack', '--trace', 'good.jsonl', '--judge', 'none.mjs']), { code: 2, stdout: '', stderr: /none\.mjs/ });
});

t.test('a pack’s own checks run held as in a service, and a bad one costs its own verdicts alone', async (t) => {
  const guardrails = [
    guardrailEntry('waits', 'waits.mjs'),
    guardrailEntry('fetches', 'fetches.mjs', { network: { kind: 'none' } }),
    guardrailEntry('dies', 'dies.mjs'),
    guardrailEntry('odd', 'odd.mjs', { config: { least: -1 }, configSchema: { properties: { least: { minimum: 0 } } } }),
    cites,
  ];
  const modules = {
    'waits.mjs': "export const evaluate = (config, { runId }) => { if (runId === 'spin') for (;;); return { passed: true }; };\n",
    'fetches.mjs': "import { connect } from 'node:net';\nexport const evaluate = async () => { await new Promise((resolve, reject) => connect(9, '192.0.2.1').on('error', reject)); return { passed: true }; };\n",
    'dies.mjs': "export const evaluate = (config, { runId }) => { if (runId === 'die') process.exit(1); return { passed: true }; };\n",
    'odd.mjs': 'export const evaluate = () => ({ passed: true });\n',
  };
  const runs = ['a', 'spin', 'b', 'die', 'c'].map((runId) => ({ runId, output: '[1]' }));
  const folder = folderWith(t, guardrails, { 'runs.jsonl': lines(...runs) }, modules);
  const { code, document } = await judged(folder, '--trace', 'runs.jsonl', '--time-limit', '3000');
  t.equal(code, 1);
  const codes = document.results.map(({ outcomes = [] }) => outcomes.map(({ kind, code, passed }) => (kind === 'ok' ? passed : code)));
  const always = ['handler-throw', 'input-validation-failed', true];
  t.strictSame(codes, [
    [true, always[0], true, always[1], true],
    ['deadline-exceeded', always[0], true, always[1], true],
    [true, always[0], true, always[1], true],
    [true, always[0], 'handler-throw', always[1], true],
    [true, always[0], true, always[1], true],
  ]);
});

t.test('the time of a check that waits behind slow ones has not begun', async (t) => {
  const threads = availableParallelism();
  const slow = Array.from({ length: threads }, () => ({ runId: 'spin' }));
  const behind = Array.from({ length: 3 * threads }, () => ({ runId: 'quick' }));
  const modules = { 'waits.mjs': "export const evaluate = (config, { runId }) => { if (runId === 'spin') for (;;); return { passed: true }; };\n" };
  const folder = folderWith(t, [guardrailEntry('waits', 'waits.mjs')], { 'runs.jsonl': lines(...slow, ...behind) }, modules);
  const { document } = await judged(folder, '--trace', 'runs.jsonl', '--time-limit', '3000');
  const verdicts = document.results.map(({ outcomes = [] }) => outcomes[0]?.['code'] ?? outcomes[0]?.['passed']);
  t.strictSame(verdicts, [...slow.map(() => 'deadline-exceeded'), ...behind.map(() => true)]);
});

t.test('each check gets a trace of its own, and config of its own where two guardrails share a check', async (t) => {
  const guardrails = [
    guardrailEntry('changes', 'changes.mjs'),
    guardrailEntry('looks', 'looks.mjs', { config: { expected: 'As in [1].' } }),
    guardrailEntry('looks-again', 'looks.mjs', { checkId: 'looks', config: { expected: 'changed' } }),
  ];
  const modules = {
    'changes.mjs': "export const evaluate = (config, trace) => { trace.output = 'changed'; return { passed: true }; };\n",
    'looks.mjs': 'export const evaluate = ({ expected }, { output }) => ({ passed: output === expected, reason: output });\n',
  };
  const folder = folderWith(t, guardrails, { 'runs.jsonl': lines(good, good) }, modules);
  const { document } = await judged(folder, '--trace', 'runs.jsonl');
  for (const { outcomes } of document.results) t.match(outcomes, [{ passed: true }, { passed: true }, { passed: false, reason: 'As in [1].' }]);
});

t.test('--junit writes a report that is there whole or not at all', async (t) => {
  const folder = folderWith(t, [cites, { ...builtIn('few', 'max-tool-calls', { max: 0 }), severity: 'warn' }, { ...cites, id: 'later', scope: { when: 'runtime-only' } }, { ...cites, id: 'theirs', kind: 'external' }], {
    'runs.jsonl': `${lines({ ...bad, runId: '<&"\u0007\ud800>', toolCalls: [{}] })}{ nope\n`,
  });
  t.equal((await check(folder, ['--pack', 'pack', '--trace', 'runs.jsonl', '--junit', 'report.xml'])).code, 1);
  const report = readFileSync(join(folder, 'report.xml'), 'utf8');
  t.match(report, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites /);
  t.match(report, '<testsuite name="runs.jsonl:1 &#60;&#38;&#34;\ufffd\ufffd&#62;" tests="4" failures="1" errors="1" skipped="1">', 'counts, and what XML cannot carry replaced');
  t.match(report, /<testcase classname="runs.jsonl:1" name="cites"><failure type="halt" message="[^"]+"\/><\/testcase>/);
  t.match(report, /name="few"><system-out>halt: [^<]+<\/system-out><\/testcase>/, 'a violation that does not stop the build is no failure');
  t.match(report, /name="later"><skipped message="[^"]*runtime-only[^"]*"\/>/);
  t.match(report, /name="theirs"><error type="unknown-kind" /);
  t.match(report, /<testsuite name="runs.jsonl:2" tests="1" failures="0" errors="1" skipped="0">/);
  t.ok(report.endsWith('</testsuites>\n'));
  t.strictSame(readdirSync(folder).filter((name) => name.startsWith('report.xml')), ['report.xml'], 'and nothing is left beside it');
  const empty = folderWith(t, [cites], { 'empty.jsonl': '\n' });
  t.equal((await check(empty, ['--pack', 'pack', '--trace', 'empty.jsonl', '--junit', 'report.xml'])).code, 2);
  t.notOk(existsSync(join(empty, 'report.xml')), 'nothing judged, no report');
  t.match(await check(folder, ['--pack', 'pack', '--trace', 'runs.jsonl', '--junit', 'nowhere/report.xml']), { code: 2, stdout: '', stderr: /--junit: nowhere\/report\.xml/ });
});

t.test('on GitHub, violations are annotations at the place of their run', async (t) => {
  const folder = folderWith(t, [cites, { ...builtIn('odd,:name', 'output-matches', { pattern: '%\\n' }), severity: 'info' }], { 'runs.jsonl': lines(good, bad) });
  const github = { GITHUB_ACTIONS: 'true' };
  const { stdout } = await check(folder, ['--pack', 'pack', '--trace', 'runs.jsonl'], github);
  t.match(stdout, /^::error file=runs\.jsonl,line=2,title=Guardrail cites::.+$/m);
  t.match(stdout, /^::warning file=runs\.jsonl,line=1,title=Guardrail odd%2C%3Aname::.*%25.*$/m);
  const asJson = await check(folder, ['--pack', 'pack', '--trace', 'runs.jsonl', '--json'], github);
  t.match((JSON.parse(asJson.stdout) as Document).totals, { traces: 2 }, 'the JSON document stays one');
  t.match(asJson.stderr, /^::error /m);
  t.notMatch((await check(folder, ['--pack', 'pack', '--trace', 'runs.jsonl'])).stdout, /^::/m, 'elsewhere there are none');
});

t.test('a reason cannot steer the terminal that it is shown on', async (t) => {
  const folder = folderWith(t, [guardrailEntry('says', 'says.mjs')], { 'run.jsonl': lines(good) }, { 'says.mjs': "export const evaluate = () => ({ passed: false, reason: 'a\\u001b[2Jb\\nc' });\n" });
  const { stdout } = await check(folder, ['--pack', 'pack', '--trace', 'run.jsonl']);
  t.match(stdout, 'a [2Jb c');
});

t.test('the table does not grow with the reasons', async (t) => {
  const says = "export const evaluate = (config, { runId }) => ({ passed: false, reason: `run ${runId}` });\n";
  const folder = folderWith(t, [guardrailEntry('says', 'says.mjs')], { 'runs.jsonl': lines(...Array.from({ length: 200 }, (_, at) => ({ runId: String(at) }))) }, { 'says.mjs': says });
  const { stdout } = await check(folder, ['--pack', 'pack', '--trace', 'runs.jsonl']);
  t.ok(stdout.split('\n').length < 20, stdout);
  t.match(stdout, /says +failed +192 .*for other reasons/);
});

t.test('what cannot be used is named, all of it, and nothing is judged', async (t) => {
  const folder = folderWith(t, [cites], { 'good.jsonl': lines(good) });
  const args = await check(folder, ['--mode', 'build', '--fail-on', 'fatal', '--time-limit', 'soon', '--jsn', 'more', '--junit', 'a', '--junit', 'b']);
  t.match(args, { code: 2, stdout: '' });
  for (const name of ['--pack', '--trace', '--mode', '--fail-on', '--time-limit', '--jsn: there is no such flag; did you mean --json?', '--junit']) t.match(args.stderr, name);
  t.match(await check(folder, ['--pack', 'nowhere', '--trace', 'good.jsonl']), { code: 2, stderr: /Cannot read the pack index/ });
  const missing = await check(folder, ['--pack', 'pack', '--trace', 'nowhere.jsonl', 'nothing', 'runs']);
  t.match(missing, { code: 2, stdout: '' });
  for (const path of ['nowhere.jsonl', 'nothing', 'runs']) t.match(missing.stderr, path);
  const broken = folderWith(t, [{ ...cites, config: { minimum: 1 } }, { ...cites, id: 'retries', action: { 'on-violation': 'retry', retry: {} } }, cites, cites], { 'good.jsonl': lines(good) });
  const { code, stderr } = await check(broken, ['--pack', 'pack', '--trace', 'good.jsonl']);
  t.equal(code, 2);
  for (const problem of ['"cites" /config/minimum', '"retries" /action/retry', '"cites" stands there twice']) t.match(stderr, problem);
  const unloadable = folderWith(t, [guardrailEntry('a', 'a.mjs'), guardrailEntry('b', 'b.mjs')], { 'good.jsonl': lines(good) }, { 'a.mjs': "throw new Error('no');\n", 'b.mjs': '' });
  t.match(await check(unloadable, ['--pack', 'pack', '--trace', 'good.jsonl']), { code: 2, stderr: /"a"[^]*"b"/ });
});

t.test('check --help lists its flags, and says what the exit codes mean', async (t) => {
  const { code, stdout } = await check(temporaryFolder(t), ['--help']);
  t.equal(code, 0);
  for (const flag of ['--pack', '--trace', '--mode', '--fail-on', '--json', '--junit', '--judge', '--time-limit', 'Exit 0']) t.match(stdout, flag);
});
