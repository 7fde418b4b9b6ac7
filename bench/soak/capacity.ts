import { stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.js';
import type { Problems } from './judge/problem.js';
import { capacityKind } from './kinds/index.js';
import { ok, toTool } from './kinds/kind.js';
import { Callers } from './load/callers.js';
import type { Address } from './load/send.js';
import { nonceOf, sequenceOf } from './plan.js';
import { ledgerIn, releaseIn } from './tools/call.js';
import { readLedger } from './watch/ledger.js';

export interface CapacityOptions {
  readonly address: Address;
  readonly seed: number;
  readonly maxConcurrency: number;
  /** Of the calls before; these take the places after. */
  readonly account: Account;
  /** The folder shared with the tools. */
  readonly shared: string;
}

/** Threads have to start, each of which takes a tenth of a second of a core, on a machine that may be busy with something else. */
const gatherWithinMs = 60_000;

/**
 * Fills the service with calls that run until they are released, and waits until all of them run. One
 * that waited for a thread, for a slot that was never given back, would not be among them. One call
 * more must be refused: a slot that was given back twice would take it.
 */
export async function fillToCapacity({ address, seed, maxConcurrency, account, shared }: CapacityOptions): Promise<Problems> {
  const ledger = ledgerIn(shared);
  const { size } = await stat(ledger);
  const callers = new Callers(address, maxConcurrency + 1, seed, account);
  const firstSequence = account.length;
  const oneMore = firstSequence + maxConcurrency;
  const gather = (sequence: number): void =>
    callers.call({ sequence, nonce: nonceOf(seed, sequence), kind: capacityKind, atMs: 0, ask: toTool('soak.gather', {}, ok) }, performance.now());
  const running = async (): Promise<number> => {
    const { runs } = await readLedger(ledger, (nonce) => sequenceOf(seed, nonce), size);
    let count = 0;
    for (let sequence = firstSequence; sequence < runs.length; sequence++) if (runs.get(sequence) > 0) count++;
    return count;
  };

  for (let sequence = firstSequence; sequence < oneMore; sequence++) gather(sequence);
  const end = performance.now() + gatherWithinMs;
  let gathered = await running();
  for (; gathered < maxConcurrency && performance.now() < end; gathered = await running()) await sleep(50);
  gather(oneMore);
  while (account.fate(oneMore) === 'waiting' && performance.now() < end) await sleep(10);
  const fate = account.fate(oneMore);
  await writeFile(releaseIn(shared), '');
  await callers.idle();
  if (gathered < maxConcurrency) callers.problems.add({ invariant: 'capacity', detail: `${gathered} of ${maxConcurrency} calls ran side by side within ${gatherWithinMs / 1000} s` });
  else if (fate !== 'refused') callers.problems.add({ invariant: 'capacity', detail: `one call more was ${fate} instead of refused` });
  return callers.problems;
}
