import type { Account } from '../account.js';
import { unnamedKind } from '../kinds/hostile-callers.js';
import { leavesFaults } from '../kinds/hostile-tools.js';
import { type Outcome, type Runs, runsOf } from '../outcomes.js';
import { nameOf } from './answer.js';
import type { Problem } from './problem.js';

const named = (account: Account, sequence: number): string => nameOf({ sequence, kind: account.kind(sequence) });

/** Calls in = answers out: names the calls that were sent and have no answer, and why where that is known. */
export function* lostAnswers(account: Account, reasons: Readonly<Record<number, string>> = {}): Generator<Problem> {
  for (let sequence = 0; sequence < account.length; sequence++) {
    const fate = account.fate(sequence);
    if (fate === 'lost' || fate === 'waiting') yield { invariant: 'answers', detail: `${named(account, sequence)}: its answer is lost: ${reasons[sequence] ?? fate}` };
  }
}

/** Compares how often each call's code ran with what its caller was told. */
export function* wrongRuns(account: Account, runs: (sequence: number) => number, ledgerLength: number): Generator<Problem> {
  for (let sequence = 0; sequence < Math.max(account.length, ledgerLength); sequence++) {
    const count = runs(sequence);
    const call = named(account, sequence);
    if (count > 1) yield { invariant: 'single runs', detail: `${call}: a doubled nonce, it ran ${count} times` };
    const may = allowedRuns(account, sequence);
    if (may === 'never' && count > 0) yield { invariant: 'refused unrun', detail: `${call}: it ran although it was ${account.outcome(sequence) ?? account.fate(sequence)}` };
    if (may === 'once' && count === 0) yield { invariant: 'answered ran', detail: `${call}: it was answered ${account.outcome(sequence) ?? ''} and never ran` };
  }
}

function allowedRuns(account: Account, sequence: number): Runs {
  const outcome = account.outcome(sequence);
  if (outcome !== undefined) return runsOf(outcome);
  const fate = account.fate(sequence);
  return fate === 'answered' || fate === 'hung up' || fate === 'lost' || fate === 'waiting' ? 'at most once' : 'never';
}

/** What stderr said of the calls. */
export interface CallRecords {
  /** How many `call` records a call has. */
  readonly count: (sequence: number) => number;
  /** The outcome in the last of them. */
  readonly outcome: (sequence: number) => Outcome | undefined;
  /** Whether a `late-fault` record names the call. */
  readonly faultedLate: (sequence: number) => boolean;
  /** One past the last call that any record names. */
  readonly length: number;
  /** `call` records that name no call. */
  readonly unnamed: number;
}

/**
 * Compares records with answers. A call that was hung up may have one or not: its caller cannot know
 * whether it was refused. Of calls whose body names nobody there can only be as many records as answers.
 */
export function* wrongRecords(account: Account, records: CallRecords): Generator<Problem> {
  let unnamedAnswers = 0;
  for (let sequence = 0; sequence < Math.max(account.length, records.length); sequence++) {
    const fate = account.fate(sequence);
    const count = records.count(sequence);
    const problem = (detail: string): Problem => ({ invariant: 'records', detail: `${nameOf({ sequence, kind: account.kind(sequence) })}: ${detail}` });
    if (fate === 'answered' && account.kind(sequence) === unnamedKind) unnamedAnswers++;
    else if (fate === 'answered') {
      if (count !== 1) yield problem(`it was answered and has ${count} records`);
      else if (account.outcome(sequence) !== undefined && records.outcome(sequence) !== account.outcome(sequence)) yield problem(`it was answered ${account.outcome(sequence)} and recorded ${records.outcome(sequence)}`);
    } else if (fate === 'hung up' || fate === 'left mid-body' || fate === 'lost' || fate === 'waiting') {
      if (count > 1) yield problem(`it has ${count} records`);
    } else if (count > 0) yield problem(`it was ${fate} and has ${count} records`);
    if (records.faultedLate(sequence) && account.kind(sequence) !== leavesFaults) {
      yield { invariant: 'late faults', detail: `${nameOf({ sequence, kind: account.kind(sequence) })}: a late fault was laid to it` };
    }
  }
  if (records.unnamed !== unnamedAnswers) yield { invariant: 'records', detail: `${unnamedAnswers} answers to bodies without ids, and ${records.unnamed} records without ids` };
}
