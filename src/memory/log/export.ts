import type { Database } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { canonicalJson } from '../hashing/canonical.js';
import { describeBreak } from './break.js';
import { findHead, headOf } from './head.js';
import { recordOf } from './read.js';
import { chainsOf, type Selection } from './selection.js';
import { walk } from './walk.js';

/**
 * The chains of a selection as lines of JSON, verified on the way: every entry's record, and after the
 * last one of a chain `{"head":{…}}`, without which a file that was cut short would look whole. Throws
 * MemoryError `broken-chain` at the first break.
 */
export async function* exportLines(database: Database, selection: Selection): AsyncGenerator<string, void, undefined> {
  for await (const chain of chainsOf(database, selection)) {
    // Up to the head as it is now: what others append meanwhile is for the next export.
    const head = await findHead(database, chain.tenantId, chain.runId);
    const pages = walk(database, chain, head === undefined ? {} : { to: head.sequence, kept: headOf(head) });
    for (let step = await pages.next(); ; step = await pages.next()) {
      if (step.done === true) {
        if (step.value !== undefined) throw new MemoryError('broken-chain', describeBreak(step.value));
        break;
      }
      for (const row of step.value) yield lineOf(recordOf(row));
    }
    if (head !== undefined) yield lineOf({ head: headOf(head) });
  }
}

const lineOf = (value: object): string => canonicalJson(value, 'line', '') ?? '';
