import type { Database } from '../database/database.js';
import { MemoryError } from '../errors.js';
import type { Break } from './break.js';
import type { Head } from './head.js';
import { chainsOf, type ChainName, checkSelection, type Selection } from './selection.js';
import { walk } from './walk.js';

/** How much to verify, and against what. */
export interface VerifyOptions {
  /** Only of one run: the first sequence; the entry before it is taken for whole. */
  readonly from?: number;
  /** Only of one run: the last sequence. */
  readonly to?: number;
  /** Heads that were kept elsewhere: a chain that ends before its head, or does not lead to it, is broken. */
  readonly heads?: readonly Head[];
  /** Told after every page how many entries have been verified. */
  readonly onProgress?: (entries: number) => void;
}

/** What was verified, and the first break of every chain that has one. */
export interface Verification {
  readonly chains: number;
  readonly entries: number;
  readonly breaks: readonly Break[];
}

/** Walks the chains of a selection from their beginnings. */
export async function verifyChains(database: Database, selection: Selection, options: VerifyOptions = {}): Promise<Verification> {
  checkSelection(selection);
  const { from, to, heads = [], onProgress } = options;
  if ((from !== undefined || to !== undefined) && (selection === 'all-tenants' || selection.runId === undefined)) {
    throw new MemoryError('invalid-argument', 'from and to are sequences of one run: name its tenantId and runId');
  }
  const kept = new Map(heads.filter((head) => isSelected(head, selection)).map((head) => [key(head), head]));
  const breaks: Break[] = [];
  let chains = 0;
  let entries = 0;
  const verifyOne = async (chain: ChainName): Promise<void> => {
    chains++;
    const pages = walk(database, chain, { kept: kept.get(key(chain)), ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
    kept.delete(key(chain));
    for (let step = await pages.next(); ; step = await pages.next()) {
      if (step.done === true) {
        if (step.value !== undefined) breaks.push(step.value);
        return;
      }
      entries += step.value.length;
      onProgress?.(entries);
    }
  };
  for await (const chain of chainsOf(database, selection)) await verifyOne(chain);
  // Chains of which nothing but a head elsewhere is left.
  for (const head of [...kept.values()]) await verifyOne(head);
  return { chains, entries, breaks };
}

const key = ({ tenantId, runId }: ChainName): string => JSON.stringify([tenantId, runId]);

function isSelected(head: Head, selection: Selection): boolean {
  return selection === 'all-tenants' || (head.tenantId === selection.tenantId && (selection.runId ?? head.runId) === head.runId);
}
