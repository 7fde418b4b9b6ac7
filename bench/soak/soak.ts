import { setTimeout as sleep } from 'node:timers/promises';
import { threadCount } from '../measure/process-usage.js';
import { Account } from './account.js';
import { fillToCapacity } from './capacity.js';
import { graceMs } from './flags.js';
import { lostAnswers, wrongRecords, wrongRuns } from './judge/account.js';
import { type Level, levelOf, risenMemory, tooManyThreads } from './judge/level.js';
import { Problems } from './judge/problem.js';
import { type LoadReport, type Progress, runLoad } from './load/process.js';
import type { SoakOptions } from './options.js';
import { type SoakPack, withSoakPack } from './pack.js';
import { sequenceOf } from './plan.js';
import { ledgerIn } from './tools/call.js';
import { readLedger } from './watch/ledger.js';
import { type Sample, Sampler } from './watch/sampler.js';
import { SoakedService } from './watch/service.js';

/** Everything a run found. */
export interface Findings {
  readonly account: Account;
  readonly problems: Problems;
  readonly load: LoadReport;
  readonly samples: readonly Sample[];
  readonly level: Level;
  readonly threads: { readonly atStart: number; readonly atEnd: number };
  readonly runs: number;
  readonly records: Readonly<Record<string, number>>;
  /** Lines of stderr that are neither a record nor of a flood. */
  readonly strangers: readonly string[];
  readonly printedMiB: { readonly stdout: number; readonly stderr: number };
}

/** The last call's thread may have its grace to go, and another moment to be gone. */
const settleMs = graceMs + 1_500;

type OnProgress = (progress: Progress, sample: Sample | undefined) => void;

/** Runs the service through the plan, and judges what it did. */
export const soak = (options: SoakOptions, onProgress: OnProgress): Promise<Findings> =>
  withSoakPack((pack) => soakWith(pack, options, onProgress));

async function soakWith(pack: SoakPack, options: SoakOptions, onProgress: OnProgress): Promise<Findings> {
  const ownerOf = (nonce: unknown): number | undefined => sequenceOf(options.seed, nonce);
  const { service, port } = await SoakedService.start(options, pack, ownerOf);
  try {
    return await soakService(service, port, pack, options, onProgress);
  } finally {
    await service.stop();
  }
}

async function soakService(service: SoakedService, port: number, pack: SoakPack, options: SoakOptions, onProgress: OnProgress): Promise<Findings> {
  const { seed, maxConcurrency, seconds } = options;
  const address = { port, token: service.token };
  const atStart = threadCount(service.pid);
  const sampler = new Sampler(service.pid);
  const load = await runLoad({ address, options }, (progress) => onProgress(progress, sampler.samples.at(-1)));
  sampler.stop();
  await sleep(settleMs);

  const problems = new Problems();
  problems.merge(load.problems);
  const account = new Account(load.account);
  let atEnd = NaN;
  if (service.ended) {
    problems.add({ invariant: 'same process', detail: `it ended by itself: ${JSON.stringify(service.ended)}` });
    problems.add({ invariant: 'capacity', detail: 'nothing was left to try it on' });
  } else {
    atEnd = threadCount(service.pid);
    problems.addAll(tooManyThreads(atEnd, maxConcurrency));
    problems.merge((await fillToCapacity({ address, seed, maxConcurrency, account, shared: pack.shared })).data());
  }
  const ending = await service.stop();
  if (ending?.code !== 0) problems.add({ invariant: 'exit', detail: ending ? JSON.stringify(ending) : 'it had to be killed' });

  const ledger = await readLedger(ledgerIn(pack.shared), (nonce) => sequenceOf(seed, nonce));
  const level = levelOf(sampler.samples, seconds);
  problems.addAll(lostAnswers(account, load.lost));
  problems.addAll(ledger.problems);
  problems.addAll(wrongRuns(account, (sequence) => ledger.runs.get(sequence), ledger.runs.length));
  problems.addAll(wrongRecords(account, service.stderr.calls));
  problems.addAll(service.stderr.problems());
  problems.addAll(risenMemory(level));
  return {
    account,
    problems,
    load,
    samples: sampler.samples,
    level,
    threads: { atStart, atEnd },
    runs: ledger.lines,
    records: service.stderr.kinds,
    strangers: service.stderr.strangers,
    printedMiB: { stdout: service.stdoutBytes / 1024 ** 2, stderr: service.stderr.bytes / 1024 ** 2 },
  };
}
