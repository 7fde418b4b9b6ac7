import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { evaluateAll, type EvaluationOptions, type Guardrail, type Judge } from '../guardrails/index.js';
import { loadOrMakeIndex } from '../indexer/load-or-make.js';
import { BootError } from '../packs/boot-error.js';
import { openPack } from '../packs/pack.js';
import { inOrder } from './check/concurrency.js';
import { githubReport, jsonReport, junitReport } from './check/machine-reports.js';
import { type CheckOptions, InvalidArguments, readOptions } from './check/options.js';
import { type PackChecks, startPackChecks } from './check/pack-checks.js';
import { guardrailsOf } from './check/pack-guardrails.js';
import { progressOn } from './check/progress.js';
import { type Report, Totals, type TraceResult } from './check/result.js';
import { tableReport } from './check/table-report.js';
import { findTraceFiles, type FoundTrace, readTraces, type TraceFile } from './check/trace-files.js';
import { fileWriter, streamWriter, type Writer } from './check/writer.js';

/** Traces that are judged at once: enough to keep every thread busy behind one that is slow. */
const inFlight = 64;

/** Nothing could be judged. */
class CannotCheck extends Error {}

/** Not every run could be judged. */
class CannotGoOn extends CannotCheck {}

/** `packhost check`: judges recorded runs by a pack's guardrails. Exit code 1: the build must stop. 2: there is no verdict. */
export async function check(args: readonly string[]): Promise<void> {
  // Traces are garbage soon after they came. By default V8 lets 48 MiB of that gather on each thread before it looks.
  setFlagsFromString('--max-semi-space-size=4');
  // Whoever reads the output may leave early, as `head` does.
  process.stdout.on('error', () => process.exit(1));
  try {
    const options = readOptions(args);
    const { files, problems } = await findTraceFiles(options.traces);
    if (problems.length > 0) throw new CannotCheck(problems.map((problem) => `- ${problem}`).join('\n'));
    const { index, folder } = await loadOrMakeIndex(resolve(options.pack), { environment: process.env, envFilter: 'on', loadTimeoutMs: 30_000, prefer: 'index' });
    const pack = await openPack(index, { moduleRoot: folder, bundleMap: undefined }, 1);
    const guardrails = guardrailsOf(pack.index);
    const judge = options.judge === undefined ? undefined : await loadJudge(options.judge);
    const packChecks = await startPackChecks(pack, guardrails, { threads: availableParallelism(), timeLimitMs: options.timeLimitMs });
    try {
      const totals = await judgeAll(guardrails, files, options, { checks: packChecks.checks, mode: options.mode, timeLimitMs: options.timeLimitMs, ...(judge ? { judge } : {}) });
      process.exitCode = totals.stopping > 0 ? 1 : 0;
    } finally {
      await close(packChecks);
    }
  } catch (error) {
    if (!(error instanceof InvalidArguments || error instanceof CannotCheck || error instanceof BootError)) throw error;
    const headline = error instanceof CannotGoOn ? 'not every run could be judged, so there is no verdict' : 'nothing was judged';
    process.stderr.write(`packhost check: ${headline}.\n${error.message}\n`);
    process.exitCode = 2;
  }
}

async function judgeAll(guardrails: readonly Guardrail[], files: readonly TraceFile[], options: CheckOptions, evaluation: EvaluationOptions): Promise<Totals> {
  const out = streamWriter(process.stdout);
  const junitFile = options.junit === undefined ? undefined : await openReport(options.junit);
  const reports = reportsOf(options, out, junitFile);
  const totals = new Totals(options.failOn);
  const progress = progressOn(process.stderr, files.reduce((sum, { size }) => sum + size, 0));
  try {
    for await (const result of inOrder(readTraces(files, (bytes) => progress.read(bytes)), inFlight, (found) => judgeOne(found, guardrails, evaluation))) {
      stopWithoutThreads(result);
      totals.add(result);
      for (const report of reports) await report.add(result);
      progress.judged(totals.traces);
    }
    progress.clear();
    if (totals.traces === 0) throw new CannotCheck(`- --trace: there is no trace in ${files.map(({ file }) => file).join(', ')}`);
    for (const report of reports) await report.end(totals);
  } catch (error) {
    progress.clear();
    await junitFile?.discard();
    throw error;
  }
  return totals;
}

/** What did not run has no verdict that could stop a build, or let it go on. */
function stopWithoutThreads(result: TraceResult): void {
  if (result.kind === 'unreadable') return;
  for (const outcome of result.outcomes) {
    if (outcome.kind === 'error' && outcome.code === 'no-thread') throw new CannotGoOn(`- ${result.file}:${result.line}: ${outcome.message}`);
  }
}

async function judgeOne(found: FoundTrace, guardrails: readonly Guardrail[], evaluation: EvaluationOptions): Promise<TraceResult> {
  const { file, line } = found;
  if (found.kind === 'unreadable') return { kind: 'unreadable', file, line, problem: found.problem };
  const { outcomes, summary } = await evaluateAll(guardrails, found.trace, evaluation);
  return { kind: 'judged', file, line, runId: typeof found.trace.runId === 'string' ? found.trace.runId : undefined, outcomes, summary };
}

function reportsOf({ json, failOn }: CheckOptions, out: Writer, junitFile: Writer | undefined): Report[] {
  return [
    json ? jsonReport(out) : tableReport(out),
    ...(junitFile ? [junitReport(junitFile, failOn)] : []),
    // GitHub reads commands from both streams; a JSON document is to stay one.
    ...(process.env['GITHUB_ACTIONS'] === 'true' ? [githubReport(json ? streamWriter(process.stderr) : out, failOn)] : []),
  ];
}

async function openReport(file: string): Promise<Writer> {
  try {
    return await fileWriter(file);
  } catch (error) {
    throw new CannotCheck(`- --junit: ${file} cannot be written: ${messageOf(error)}`);
  }
}

async function loadJudge(file: string): Promise<Judge> {
  try {
    const { default: judge } = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown };
    if (typeof judge === 'function') return judge as Judge;
    throw new CannotCheck(`- --judge: ${file} must have a function as its default export`);
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    throw new CannotCheck(`- --judge: ${file} cannot be loaded: ${messageOf(error)}`);
  }
}

async function close(packChecks: PackChecks): Promise<void> {
  const { stuckThreads } = await packChecks.close();
  // Native code that does not return would keep the process for ever. Its check has been reported as an error, so that no exit code is lost that said 0.
  if (stuckThreads > 0) process.stdout.write('', () => process.kill(process.pid, 'SIGKILL'));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
