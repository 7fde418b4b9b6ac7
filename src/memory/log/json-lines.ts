import type { Database, Queries } from '../database/database.js';
import { InvalidRecord, MemoryError } from '../errors.js';
import { canonicalJson } from '../hashing/canonical.js';
import { beginning, follows, sealOf } from '../hashing/chain.js';
import type { LogEntry } from '../records/log-entry.js';
import { scopeRow } from '../records/scope.js';
import { checkLogEntry } from '../records/validate.js';
import { describeBreak } from './break.js';
import { entryColumns, type EntryRow } from './entry-rows.js';
import { findHead, type Head, headOf, type HeadRow, lockHead, moveHead } from './head.js';
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

/** What an import brought. */
export interface Imported {
  readonly chains: number;
  readonly entries: number;
  /** Entries that were there already, the same to the byte. */
  readonly known: number;
}

const batchLength = 500;

/**
 * Reads exported lines and appends what is not there yet, in one transaction: all of it or nothing.
 * Every hash and seal is made anew and compared. Throws MemoryError `broken-import`, naming the line.
 */
export async function importLines(database: Database, lines: AsyncIterable<string> | Iterable<string>): Promise<Imported> {
  try {
    return await database.transaction(async (queries) => {
      const importer = new Importer(queries, database.dialect.forUpdate);
      for await (const line of lines) await importer.take(line);
      return importer.end();
    });
  } catch (error) {
    if (!database.isDuplicate(error)) throw error;
    throw new MemoryError('broken-import', 'An entry has an id that another entry of its tenant has. Nothing was imported.', { cause: error });
  }
}

class Importer {
  readonly #queries: Queries;
  readonly #forUpdate: string;
  readonly #count = { chains: 0, entries: 0, known: 0 };
  #line = 0;
  /** The chain that is being read: its head in the database, then as its entries come. */
  #stored: HeadRow | undefined;
  #last: EntryRow | undefined;
  #batch: EntryRow[] = [];

  constructor(queries: Queries, forUpdate: string) {
    this.#queries = queries;
    this.#forUpdate = forUpdate;
  }

  async take(line: string): Promise<void> {
    this.#line++;
    if (line.trim() === '') return;
    const value = this.#parse(line);
    if ('head' in value) await this.#finish(value['head'] as Head);
    else await this.#add(this.#rowOf(value));
  }

  async end(): Promise<Imported> {
    if (this.#last !== undefined) this.#refuse(`the file ends within run ${this.#last.run_id} of tenant ${this.#last.tenant_id}`);
    return this.#count;
  }

  #parse(line: string): object {
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === 'object' && value !== null) return value;
    } catch (error) {
      this.#refuse(`it is no JSON: ${(error as Error).message}`);
    }
    return this.#refuse('it is no record');
  }

  #rowOf(value: object): EntryRow {
    try {
      checkLogEntry(value);
    } catch (error) {
      if (error instanceof InvalidRecord) this.#refuse(error.message);
      throw error;
    }
    return { ...unsealed(value), seal: sealOf(unsealed(value), (this.#last ?? beginning).seal) };
  }

  async #add(row: EntryRow): Promise<void> {
    if (this.#last === undefined) {
      if (row.sequence !== 0) this.#refuse(`run ${row.run_id} of tenant ${row.tenant_id} begins with sequence ${row.sequence}`);
      this.#stored = await lockHead(this.#queries, this.#forUpdate, row.tenant_id, row.run_id);
      this.#count.chains++;
    } else if (row.tenant_id !== this.#last.tenant_id || row.run_id !== this.#last.run_id) {
      this.#refuse(`the head of run ${this.#last.run_id} of tenant ${this.#last.tenant_id} is missing before it`);
    }
    const expected = (this.#last?.sequence ?? -1) + 1;
    if (row.sequence !== expected) this.#refuse(`sequence ${row.sequence} comes where ${expected} should`);
    if (!follows(row, this.#last ?? beginning)) this.#refuse(`entry ${row.sequence} of run ${row.run_id} of tenant ${row.tenant_id} is not what was exported`);
    this.#last = row;
    if (row.sequence > (this.#stored?.sequence ?? -1)) {
      this.#batch.push(row);
      if (this.#batch.length === batchLength) await this.#flush();
    } else await this.#compare(row);
  }

  /** What is there already must be the same. */
  async #compare(row: EntryRow): Promise<void> {
    this.#count.known++;
    const [known] = await this.#queries.query<EntryRow>(`SELECT ${entryColumns} FROM memory_log WHERE tenant_id = $1 AND run_id = $2 AND sequence = $3`, [row.tenant_id, row.run_id, row.sequence]);
    if (known?.entry_hash !== row.entry_hash || known.seal !== row.seal) {
      this.#refuse(`run ${row.run_id} of tenant ${row.tenant_id} goes another way here: its entry ${row.sequence} is another one`);
    }
  }

  async #flush(): Promise<void> {
    await this.#queries.insert('memory_log', this.#batch);
    this.#count.entries += this.#batch.length;
    this.#batch = [];
  }

  async #finish(head: Head): Promise<void> {
    const last = this.#last;
    if (last === undefined) return this.#refuse('a head comes without entries before it');
    const fits = head?.tenantId === last.tenant_id && head.runId === last.run_id && head.sequence === last.sequence && head.entryHash === last.entry_hash && head.seal === last.seal;
    if (!fits) this.#refuse(`it is not the head of the entries before it: run ${last.run_id} of tenant ${last.tenant_id} is cut, or was put together`);
    await this.#flush();
    const stored = this.#stored;
    if (stored !== undefined && last.sequence > stored.sequence) await moveHead(this.#queries, last);
    this.#last = undefined;
    this.#stored = undefined;
  }

  #refuse(reason: string): never {
    throw new MemoryError('broken-import', `Line ${this.#line}: ${reason}. Nothing was imported.`);
  }
}

function unsealed(entry: LogEntry): Omit<EntryRow, 'seal'> {
  return {
    ...scopeRow(entry.scope),
    run_id: entry.runId,
    sequence: entry.sequence,
    id: entry.id,
    kind: entry.kind,
    actor: entry.actor ?? null,
    timestamp: entry.timestamp,
    payload: canonicalJson(entry.payload, 'log entry', 'payload') ?? null,
    content_hash: entry.contentHash ?? null,
    caused_by: entry.causedByLogId ?? null,
    prev_hash: entry.prevHash,
    entry_hash: entry.entryHash,
  };
}
