import { parentPort, workerData } from 'node:worker_threads';
import { builtInCheck } from '../../src/checks/index.js';
import type { CheckJob, CheckJobAnswer, CheckThreadData, FromCheckThread } from '../../src/threads/link/check-jobs.js';
import { causeOf } from '../../src/protocol/thrown.js';
import { toJson } from '../serve/json.js';
import { selectCheck } from '../load/select-export.js';

/* The life of one check thread: runs the jobs of each message one after the other, and says which one it is at. */

const { progress } = workerData as CheckThreadData;
const running = new Int32Array(progress);
const port = parentPort;
if (port === null) throw new Error('this module is the main one of a worker thread');
let last: Promise<void> = Promise.resolve();
port.on('message', (jobs: readonly CheckJob[]) => {
  last = last.then(() => runAll(jobs));
});
port.postMessage({ kind: 'started' } satisfies FromCheckThread);

async function runAll(jobs: readonly CheckJob[]): Promise<void> {
  for (const job of jobs) {
    Atomics.store(running, 0, job.jobId);
    const answer = await run(job);
    Atomics.store(running, 0, -job.jobId);
    port?.postMessage({ kind: 'answer', jobId: job.jobId, answer } satisfies FromCheckThread);
  }
}

async function run({ check, config, trace, timeLimitMs }: CheckJob): Promise<CheckJobAnswer> {
  try {
    if (check.kind === 'built-in') return { kind: 'result', result: builtInCheck(check.id).evaluate(config, trace) };
    const imported = await load(check.url);
    if ('kind' in imported) return imported;
    const evaluate = selectCheck(imported.exports, check.checkId, check.checkId);
    if (evaluate === undefined) return { kind: 'no-check', message: `${check.url} exports no check: \`evaluate\`, or a function or an object with \`evaluate\` at \`default\` or \`check\`` };
    const form = toJson(await evaluate.call(config, trace, bindingsOf(timeLimitMs)));
    if (form.kind === 'not-json') return { kind: 'not-json', message: `${form.issue.instancePath || '/'} ${form.issue.message}` };
    return { kind: 'result', result: form.value };
  } catch (error) {
    return { kind: 'threw', cause: causeOf(error) };
  }
}

async function load(url: string): Promise<{ readonly exports: Readonly<Record<string, unknown>> } | Extract<CheckJobAnswer, { kind: 'import-failed' }>> {
  try {
    return { exports: (await import(url)) as Record<string, unknown> };
  } catch (error) {
    return { kind: 'import-failed', cause: causeOf(error) };
  }
}

/** Most checks never look at their signal: it is made when they do. */
function bindingsOf(timeLimitMs: number): { readonly abortSignal: AbortSignal } {
  let signal: AbortSignal | undefined;
  return {
    get abortSignal() {
      return (signal ??= AbortSignal.timeout(timeLimitMs));
    },
  };
}
