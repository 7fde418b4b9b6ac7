import { createReadStream } from 'node:fs';
import { Bytes } from '../bytes.js';
import type { Problem } from '../judge/problem.js';
import { Lines } from './lines.js';

/** How often each call ran. */
export interface Ledger {
  readonly runs: Bytes;
  /** All runs together. */
  readonly lines: number;
  readonly problems: readonly Problem[];
}

/** Reads the ledger of runs piece by piece, from a byte on. */
export async function readLedger(path: string, sequenceOf: (nonce: unknown) => number | undefined, start = 0): Promise<Ledger> {
  const runs = new Bytes();
  const problems: Problem[] = [];
  let count = 0;
  const lines = new Lines((line) => {
    count++;
    const sequence = sequenceOf(line);
    if (sequence === undefined) problems.push({ invariant: 'single runs', detail: `a run of nobody's call: ${line.slice(0, 100)}` });
    else runs.increment(sequence);
  });
  for await (const chunk of createReadStream(path, { start })) lines.push(chunk as Buffer);
  lines.end();
  return { runs, lines: count, problems };
}
