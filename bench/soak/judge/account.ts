import type { Account } from '../account.js';
import { type Runs, runsOf } from '../outcomes.js';
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
