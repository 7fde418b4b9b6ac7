import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../paths.js';
import { describeMachine, type Machine } from '../report/machine.js';
import { limitsAreEnforced, serviceFlags, strictIsEnforced } from './flags.js';
import { type Invariant, invariants } from './judge/problem.js';
import type { Times } from './load/timing.js';
import type { SoakOptions } from './options.js';
import type { Findings } from './soak.js';

/** One invariant, and how it fared. */
export interface Verdict {
  readonly name: Invariant;
  readonly says: string;
  readonly held: boolean;
  /** How often it did not hold. */
  readonly count: number;
  /** The first of those times. */
  readonly broken: readonly string[];
}

/** A run as soak.json holds it. Times in milliseconds. */
export interface SoakResult {
  readonly date: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Machine;
  readonly options: Omit<SoakOptions, 'output' | 'entry'>;
  readonly flags: readonly string[];
  readonly enforced: { readonly limits: boolean; readonly strict: boolean };
  readonly invariants: readonly Verdict[];
  readonly calls: number;
  readonly runs: number;
  /** By kind of call, then by outcome or, without an answer of the protocol, by what became of it. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly records: Readonly<Record<string, number>>;
  readonly times: { readonly healthz: Times; readonly echo: Times; readonly deadlineToAnswer: Times; readonly callersHeldUp: Times };
  readonly callerCores: number;
  readonly memory: Findings['level'];
  readonly threads: Findings['threads'];
  readonly printedMiB: Findings['printedMiB'];
  readonly strangers: readonly string[];
  readonly samples: Findings['samples'];
}

export function resultOf(options: SoakOptions, findings: Findings): SoakResult {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  const { problems, account, load } = findings;
  const { seconds, rate, hostile, seed, connections, maxConcurrency, without } = options;
  const counts = account.table();
  return {
    date: new Date().toISOString(),
    versions: { node: process.versions.node, packhost: version },
    machine: describeMachine(),
    options: { seconds, rate, hostile, seed, connections, maxConcurrency, without },
    flags: serviceFlags(maxConcurrency),
    enforced: { limits: limitsAreEnforced, strict: strictIsEnforced },
    invariants: (Object.keys(invariants) as Invariant[]).map((name) => ({ name, says: invariants[name], held: problems.count(name) === 0, count: problems.count(name), broken: problems.told(name) })),
    calls: Object.values(counts).flatMap((row) => Object.values(row)).reduce((sum, count) => sum + count, 0),
    runs: findings.runs,
    counts,
    records: findings.records,
    times: { healthz: load.health, echo: load.echo, deadlineToAnswer: load.lateness, callersHeldUp: load.callerDelay },
    callerCores: load.callerCores,
    memory: findings.level,
    threads: findings.threads,
    printedMiB: findings.printedMiB,
    strangers: findings.strangers,
    samples: findings.samples,
  };
}

/** Writes soak.json, and answers where. */
export async function writeResult(folder: string, result: SoakResult): Promise<string> {
  const path = join(folder, 'soak.json');
  await mkdir(folder, { recursive: true });
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`);
  return path;
}
